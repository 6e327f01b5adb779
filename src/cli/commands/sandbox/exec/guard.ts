import type { ChildEnd, Context } from "../../../context.ts";

/** Ends the processes of `sandbox exec` and removes its folder, even after SIGKILL. */
export interface Guard {
  /** Replaces the processes that end with this one. */
  watch(pids: readonly number[]): void;
  /** Watches every process with the folder in its PATH. Call it before a start: until then, the pid is unknown. */
  watchPath(): void;
  /** Resolves when all of them have ended. */
  end(): Promise<void>;
}

/**
 * Runs in a shell, whose input closes when this process ends for any reason. Each line lists the pids to watch, or is
 * `path`. At the end of input, it terminates them and their descendants, and kills those that remain after five seconds.
 */
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
