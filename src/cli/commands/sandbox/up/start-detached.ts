import { readFile } from "node:fs/promises";
import { readMonotonic } from "../../../../client/runtime.ts";
import { ClaimsError, usageError } from "../../../../domain/errors.ts";
import { findSandbox, type Locator, sandboxLogPath, toStateWriteError } from "../../../connection/locator.ts";
import type { Child, Context } from "../../../context.ts";
import { createStateFolder } from "../../../files/folders.ts";

const START_TIMEOUT_MS = 15_000;

/** Starts it in a process of its own, and resolves when commands find it. @throws ClaimsError that its process has printed */
export async function startDetached(context: Context, name: string, flags: readonly string[]) {
  const logFile = sandboxLogPath(context, name);
  const [command, ...self] = context.self;
  const args = [...self, "sandbox", "up", "--json", "--sandbox-name", name, ...flags];
  let child: Child;
  try {
    // It has the log and the locator file: without it, no command finds the sandbox.
    await createStateFolder(context);
    child = context.start({ command, args, env: context.env, mode: { kind: "detached", logFile } });
  } catch (error) {
    throw toStateWriteError(logFile, error);
  }
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

/** Resolves to null when the child has ended, or has not become ready in time. */
async function waitForLocator(context: Context, name: string, child: Child): Promise<Locator | null> {
  let hasEnded = false;
  const setEnded = () => {
    hasEnded = true;
  };
  child.ended.then(setEnded, setEnded);
  const deadline = readMonotonic(context) + START_TIMEOUT_MS;
  while (readMonotonic(context) < deadline && !hasEnded) {
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
    const kind = error.code === "port_in_use" ? "unreachable" : "usage";
    return new ClaimsError(kind, error.code, error.message, { hint: error.hint });
  }
  return usageError("not_started", "the sandbox did not start", { hint: `its log is ${logFile}` });
}
