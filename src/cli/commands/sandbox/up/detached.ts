import { readFile } from "node:fs/promises";
import { ClaimsError, usageError } from "../../../../domain/errors.ts";
import { findSandbox, type Locator, sandboxLogPath, toStateWriteError } from "../../../connection/locator.ts";
import type { Child, Context } from "../../../context.ts";
import { createStateFolder } from "../../../files/folders.ts";

const START_TIMEOUT_MS = 15_000;

export async function startDetached(context: Context, name: string, flags: readonly string[]) {
  const logFile = sandboxLogPath(context, name);
  const child = await startWithLog(context, logFile, ["--json", "--sandbox-name", name, ...flags]);
  let locator: Locator | null = null;
  try {
    locator = await waitForLocator(context, name, child);
  } finally {
    // Also after an interrupted wait.
    if (!locator) child.kill("SIGTERM");
    child.unref();
  }
  if (locator) return locator;
  throw toStartError(await readFile(logFile, "utf8"), logFile);
}

/** The log and the state file are in the state folder: without it, no command finds the sandbox. */
async function startWithLog(context: Context, logFile: string, flags: readonly string[]): Promise<Child> {
  try {
    await createStateFolder(context);
    const [command, ...args] = context.self;
    return context.start({
      command,
      args: [...args, "sandbox", "up", ...flags],
      env: context.env,
      mode: { kind: "detached", logFile },
    });
  } catch (error) {
    throw toStateWriteError(logFile, error);
  }
}

/** Resolves to null when the child has ended, or has not become ready in time. */
async function waitForLocator(context: Context, name: string, child: Child): Promise<Locator | null> {
  let hasEnded = false;
  child.ended
    .finally(() => {
      hasEnded = true;
    })
    .catch(() => {});
  for (const deadline = context.now() + START_TIMEOUT_MS; context.now() < deadline && !hasEnded; ) {
    await context.sleep(25, context.signal);
    const locator = await findSandbox(context, name);
    if (locator?.pid === child.pid) return locator;
  }
  return null;
}

function toStartError(log: string, logFile: string): ClaimsError {
  const line = log.split("\n").find((text) => text.startsWith('{"error"'));
  if (line !== undefined) {
    const { error } = JSON.parse(line) as { error: { code: string; message: string; hint: string } };
    return new ClaimsError("usage", error.code, error.message, { hint: error.hint });
  }
  return usageError("not_started", "the sandbox did not start", { hint: `its log is ${logFile}` });
}
