import { readFile } from "node:fs/promises";
import { ClaimsError } from "../../../../domain/errors.ts";
import { findSandbox, type Locator, sandboxLogPath, toStateWriteError } from "../../../connection/locator.ts";
import type { Child, Context } from "../../../context.ts";
import { createStateFolder } from "../../../files/folders.ts";

/** Milliseconds that a detached sandbox may take to come up. */
const START_TIMEOUT_MS = 15_000;

/** Starts `sandbox up` as a process that outlives this one, and waits for its locator. */
export async function startDetached(
  context: Context,
  name: string,
  flags: readonly string[],
): Promise<Locator> {
  const logFile = sandboxLogPath(context, name);
  const child = await startWithLog(context, logFile, ["--json", "--name", name, ...flags]);
  let locator: Locator | null = null;
  try {
    locator = await waitForLocator(context, name, child);
  } finally {
    // Also when the wait is interrupted: what did not come up is not left behind.
    if (!locator) child.kill("SIGTERM");
    child.unref();
  }
  if (locator) return locator;
  throw toStartError(await readFile(logFile, "utf8"), logFile);
}

/** Its log and its locator are in the state folder: without that, nothing would find it again. */
async function startWithLog(context: Context, logFile: string, flags: readonly string[]): Promise<Child> {
  try {
    await createStateFolder(context);
    return context.start({
      command: context.self.node,
      args: [context.self.script, "sandbox", "up", ...flags],
      env: context.env,
      mode: { kind: "detached", logFile },
    });
  } catch (error) {
    throw toStateWriteError(logFile, error);
  }
}

/** Null when the child has ended, or has said nothing for too long. */
async function waitForLocator(context: Context, name: string, child: Child): Promise<Locator | null> {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  child.ended.then(end, end);
  for (const deadline = context.now() + START_TIMEOUT_MS; context.now() < deadline && !hasEnded; ) {
    await context.sleep(25, context.signal);
    const locator = await findSandbox(context, name);
    if (locator?.pid === child.pid) return locator;
  }
  return null;
}

/** What the child said of its end, told as our own. */
function toStartError(log: string, logFile: string): ClaimsError {
  const line = log.split("\n").find((text) => text.startsWith('{"error"'));
  if (line !== undefined) {
    const { error } = JSON.parse(line) as { error: { code: string; message: string; hint: string } };
    return new ClaimsError("usage", error.code, error.message, { hint: error.hint });
  }
  return new ClaimsError("usage", "not_started", "the sandbox did not start, and did not say why", {
    hint: `its log is ${logFile}`,
  });
}
