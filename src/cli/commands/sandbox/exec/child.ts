import { mkdir, rm, writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { delimiter, join } from "node:path";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { type ClaimsError, usageError } from "../../../../domain/errors.ts";
import { quoteShellWord } from "../../../../domain/shell.ts";
import { descendantsOf } from "../../../../process/descendants.ts";
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
  readonly guard: Guard;
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
  const guard = startGuard(context, folder);
  onEnd(() => guard.end().finally(() => rm(folder, { recursive: true, force: true })));
  const binFolder = join(folder, "bin");
  await mkdir(binFolder);
  await writeClaimsCommand(context, binFolder);
  return { folder, binFolder, guard };
}

/** Runs a command against a sandbox. Resolves to its exit code, or 128 + the number of the signal, like a shell. */
export async function runChild(
  context: Context,
  sandbox: Sandbox,
  { program, args }: ExecCommand,
  { binFolder, guard, mode }: Pick<ExecWorkspace, "binFolder" | "guard"> & Pick<ChildRequest, "mode">,
): Promise<number> {
  const env = childEnvironment(context, sandbox, binFolder);
  guard.watchPath();
  const child = context.start({ command: program, args, env, mode });
  guard.watch([child.pid]);
  const ended = await waitForChild(context, child, guard, program);
  return "code" in ended ? ended.code : 128 + (constants.signals[ended.signal as NodeJS.Signals] ?? 0);
}

export const childEnvironment = ({ env }: Context, sandbox: Sandbox, binFolder: string) => ({
  ...env,
  CLAIMS_SANDBOX_NAME: undefined,
  ...sandboxEnvironment(sandbox),
  PATH: [binFolder, env.PATH].filter(Boolean).join(delimiter),
});

export const cannotRunError = (program: string, cause: unknown): ClaimsError =>
  usageError("cannot_run", `cannot run ${program}: ${describeFileError(cause)}`, {
    hint: "give a command on the PATH, or the path of one",
    cause,
  });

async function writeClaimsCommand({ self, platform }: Context, folder: string): Promise<void> {
  if (platform === "win32") {
    await writeFile(join(folder, "claims.cmd"), `@${self.map((word) => `"${word}"`).join(" ")} %*\r\n`);
    return;
  }
  const script = `#!/bin/sh\nexec ${self.map(quoteShellWord).join(" ")} "$@"\n`;
  await writeFile(join(folder, "claims"), script, { mode: 0o755 });
}

/** Waits for the child, and forwards signals to it. The guard then ends descendants that the child leaves behind. */
async function waitForChild({ signal }: Context, child: Child, guard: Guard, program: string) {
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
    throw cannotRunError(program, error);
  } finally {
    signal.removeEventListener("abort", forwardSignal);
    guard.watch(descendants);
  }
}

/** Ends the processes of `sandbox exec` and removes its folder, even after SIGKILL. */
interface Guard {
  /** Replaces the processes that end with this one. */
  watch(pids: readonly number[]): void;
  /** Watches every process with the folder in its PATH. Call it before a start: until then, the pid is unknown. */
  watchPath(): void;
  /** Resolves when all of them have ended. */
  end(): Promise<void>;
}

/** In a shell, whose input closes when this process ends. Each line lists the pids to watch, or is `path`. */
const SCRIPT = `
with_descendants() {
  for pid; do
    echo "$pid"
    with_descendants $(cat /proc/"$pid"/task/*/children 2>/dev/null)
  done
}
running() {
  for pid; do
    case $(cat /proc/"$pid"/stat 2>/dev/null) in
      *") Z "*) ;;
      *) kill -0 "$pid" 2>/dev/null && echo "$pid" ;;
    esac
  done
}
with_folder_in_path() {
  for file in $(grep -lsF -- "PATH=$1/" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    echo "\${pid%/environ}"
  done
}
while read -r line; do watched=$line; done
[ "$watched" != path ] || watched=$(with_folder_in_path "$1")
left=$(running $(with_descendants $watched))
[ -z "$left" ] || kill -TERM $left 2>/dev/null
tries=50
while [ -n "$left" ] && [ $tries -gt 0 ]; do
  sleep 0.1
  tries=$((tries - 1))
  left=$(running $left)
done
[ -z "$left" ] || kill -KILL $left 2>/dev/null
rm -rf -- "$1"
`;

/** Windows has no guard: the next run removes what a killed one leaves. */
export function startGuard(context: Context, folder: string): Guard {
  if (context.platform === "win32") return { watch: () => {}, watchPath: () => {}, end: async () => {} };
  const { PATH } = context.env;
  const shell = context.start({
    command: "/bin/sh",
    args: ["-c", SCRIPT, "claims-exec-guard", folder],
    env: { PATH },
    mode: { kind: "guard" },
  });
  // An image with nothing but Node has no shell, and so no guard.
  const ended = shell.ended.catch((): ChildEnd => ({ code: 127 }));
  return {
    watch: (pids) => shell.write(`${pids.join(" ")}\n`),
    watchPath: () => shell.write("path\n"),
    end: async () => {
      shell.endInput();
      await ended;
    },
  };
}
