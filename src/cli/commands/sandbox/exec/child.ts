import { mkdir, rm, writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { delimiter, join } from "node:path";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { descendantsOf } from "../../../../process/descendants.ts";
import { makeTemporaryFolder, removeLeftovers } from "../../../../process/temporary-folder.ts";
import type { Child, ChildEnd, ChildRequest, Context } from "../../../context.ts";
import { describeFileError } from "../../../files/file-errors.ts";
import { toTemporaryFolderError } from "../../../files/folders.ts";
import type { BaseInvocation } from "../../../framework/command.ts";
import { quoteShellWord } from "../../../output/shell-quote.ts";
import { sandboxEnvironment } from "../sandbox-variables.ts";
import { type Guard, startGuard } from "./guard.ts";

/** A command of somebody else's. */
export interface ExecCommand {
  readonly program: string;
  readonly args: readonly string[];
}

const FOLDER_PREFIX = "claims-exec-";

/** What a run of `sandbox exec` has for itself, until it ends. */
export interface ExecWorkspace {
  /** For temporary files. */
  readonly folder: string;
  /** A folder with a `claims` in it that is this very program, whatever else the PATH holds. */
  readonly binFolder: string;
  readonly guard: Guard;
}

/** Makes it, and removes those of runs that were killed. */
export async function createWorkspace(
  context: Context,
  { onEnd }: Pick<BaseInvocation, "onEnd">,
): Promise<ExecWorkspace> {
  const { temporaryDirectory, processes } = context;
  await removeLeftovers(temporaryDirectory, FOLDER_PREFIX, processes);
  const folder = await makeTemporaryFolder(temporaryDirectory, FOLDER_PREFIX, processes).catch(
    (error: unknown) => {
      throw toTemporaryFolderError(temporaryDirectory, error);
    },
  );
  const guard = startGuard(context, folder);
  onEnd(() => guard.end().finally(() => rm(folder, { recursive: true, force: true })));
  const binFolder = join(folder, "bin");
  await mkdir(binFolder);
  await writeClaimsCommand(context, binFolder);
  return { folder, binFolder, guard };
}

/**
 * Runs a command against a sandbox, and resolves to its exit code; 128 + the signal's number where a signal ended it, as a
 * shell has it.
 */
export async function runChild(
  context: Context,
  sandbox: Sandbox,
  { program, args }: ExecCommand,
  { binFolder, guard, mode }: Pick<ExecWorkspace, "binFolder" | "guard"> & Pick<ChildRequest, "mode">,
): Promise<number> {
  const env = {
    ...context.env,
    ...sandboxEnvironment(sandbox),
    PATH: [binFolder, context.env.PATH].filter(Boolean).join(delimiter),
  };
  guard.watchPath();
  const child = context.start({ command: program, args, env, mode });
  guard.watch([child.pid]);
  const ended = await waitForChild(context, child, guard, program);
  return "code" in ended ? ended.code : 128 + (constants.signals[ended.signal as NodeJS.Signals] ?? 0);
}

async function writeClaimsCommand({ self, platform }: Context, folder: string): Promise<void> {
  if (platform === "win32") {
    await writeFile(join(folder, "claims.cmd"), `@"${self.node}" "${self.script}" %*\r\n`);
    return;
  }
  const script = `#!/bin/sh\nexec ${quoteShellWord(self.node)} ${quoteShellWord(self.script)} "$@"\n`;
  await writeFile(join(folder, "claims"), script, { mode: 0o755 });
}

/** Waits for the child, and passes a request to stop on to it: what it does not pass on itself then ends with us. */
async function waitForChild(
  { signal }: Context,
  child: Child,
  guard: Guard,
  program: string,
): Promise<ChildEnd> {
  let descendants: readonly number[] = [];
  const forwardSignal = () => {
    descendants = descendantsOf(child.pid);
    guard.watch([child.pid, ...descendants]);
    child.kill(signal.reason === "SIGINT" ? "SIGINT" : "SIGTERM");
  };
  signal.addEventListener("abort", forwardSignal);
  try {
    return await child.ended;
  } catch (error) {
    throw new ClaimsError("usage", "cannot_run", `cannot run ${program}: ${describeFileError(error)}`, {
      hint: "give a command on the PATH, or the path of one",
      cause: error,
    });
  } finally {
    signal.removeEventListener("abort", forwardSignal);
    guard.watch(descendants);
  }
}
