import type { ChildEnd, Context } from "../../../context.ts";

/** Ends what `sandbox exec` has started and removes its folder, however that ends: also when it is killed. */
export interface Guard {
  /** Which processes are to end with us, in the place of those named before. */
  watch(pids: readonly number[]): void;
  /**
   * The same for every process with the folder in its PATH. Call it before a start: a command may run for a while, and we
   * may be killed, before its pid is known here.
   */
  watchPath(): void;
  /** Resolves when none of them is left. */
  end(): Promise<void>;
}

/**
 * For a shell, whose input ends when we do, whatever ends us. Each line names the pids to watch, or is `path`. Then it asks them, and all
 * that they have started, to end; after five seconds it forces those that have not.
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

/** On Windows there is none: what a killed run leaves there, the next one removes. */
export function startGuard(context: Context, folder: string): Guard {
  if (context.platform === "win32") return { watch: () => {}, watchPath: () => {}, end: async () => {} };
  const { PATH } = context.env;
  const shell = context.start({
    command: "/bin/sh",
    args: ["-c", SCRIPT, "claims-exec-guard", folder],
    env: { PATH },
    mode: { kind: "guard" },
  });
  // Without a shell, as in an image that has nothing but Node, there is no guard either.
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
