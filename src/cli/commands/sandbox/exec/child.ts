import { mkdir, rm, writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { delimiter, join, resolve } from "node:path";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { usageError } from "../../../../domain/errors.ts";
import { quoteShellWord } from "../../../../domain/shell.ts";
import { makeTemporaryFolder, removeLeftovers } from "../../../../process/temporary-folder.ts";
import type { Child, ChildEnd, ChildRequest, Context } from "../../../context.ts";
import { describeFileError } from "../../../files/file-errors.ts";
import { toTemporaryFolderError } from "../../../files/folders.ts";
import type { BaseInvocation } from "../../../framework/command.ts";
import { sandboxEnvironment } from "../env.ts";

export interface ExecCommand {
  readonly program: string;
  readonly args: readonly string[];
}

const FOLDER_PREFIX = "claims-exec-";

/** The temporary files of a run of `sandbox exec`. */
export interface ExecWorkspace {
  readonly folder: string;
  /** Contains a `claims` that runs this program. */
  readonly binFolder: string;
}

/** Also removes the workspaces of killed runs. */
export async function createWorkspace(context: Context, { onEnd }: Pick<BaseInvocation, "onEnd">) {
  const { temporaryDirectory, processes } = context;
  await removeLeftovers(temporaryDirectory, FOLDER_PREFIX, processes);
  const folder = await makeTemporaryFolder(temporaryDirectory, FOLDER_PREFIX, processes).catch(
    (error: unknown) => {
      throw toTemporaryFolderError(temporaryDirectory, error);
    },
  );
  onEnd(() => rm(folder, { recursive: true, force: true }));
  const binFolder = join(folder, "bin");
  await mkdir(binFolder);
  await writeClaimsCommand(context, binFolder);
  return { folder, binFolder };
}

/** Runs a command against a sandbox. Resolves to its exit code, or 128 + the number of the signal, like a shell. */
export async function runChild(
  context: Context,
  sandbox: Sandbox,
  { program, args }: ExecCommand,
  { binFolder }: ExecWorkspace,
  { mode, mapping }: Pick<ChildRequest, "mode"> & { readonly mapping?: string | undefined },
): Promise<number> {
  const env = childEnvironment(context, sandbox, binFolder, mapping);
  const child = context.start({ command: program, args, env, mode });
  const ended = await waitForChild(context, child, program);
  return "code" in ended ? ended.code : 128 + (constants.signals[ended.signal as NodeJS.Signals] ?? 0);
}

/** @param mapping the file by which the sandbox responds: the child must read by it, and by no other one */
export const childEnvironment = (
  { env, cwd }: Context,
  sandbox: Sandbox,
  binFolder: string,
  mapping?: string,
) => ({
  ...env,
  CLAIMS_SANDBOX_NAME: undefined,
  CLAIMS_MAPPING: mapping === undefined ? undefined : resolve(cwd, mapping),
  ...sandboxEnvironment(sandbox),
  PATH: [binFolder, env.PATH].filter(Boolean).join(delimiter),
});

async function writeClaimsCommand({ self, platform }: Context, folder: string): Promise<void> {
  if (platform === "win32") {
    await writeFile(join(folder, "claims.cmd"), `@${self.map((word) => `"${word}"`).join(" ")} %*\r\n`);
    return;
  }
  const script = `#!/bin/sh\nexec ${self.map(quoteShellWord).join(" ")} "$@"\n`;
  await writeFile(join(folder, "claims"), script, { mode: 0o755 });
}

/** Waits for the child, and forwards signals to it. */
export async function waitForChild(
  { signal }: Context,
  child: Child,
  program: string,
  onSignal: () => void = () => {},
): Promise<ChildEnd> {
  const forwardSignal = () => {
    child.kill(signal.reason === "EPIPE" ? "SIGTERM" : signal.reason);
    onSignal();
  };
  signal.addEventListener("abort", forwardSignal);
  try {
    return await child.ended;
  } catch (cause) {
    throw usageError("cannot_run", `cannot run ${program}: ${describeFileError(cause)}`, {
      hint: "give a command on the PATH, or the path of one",
      cause,
    });
  } finally {
    signal.removeEventListener("abort", forwardSignal);
  }
}
