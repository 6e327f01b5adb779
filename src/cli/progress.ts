import { setTimeout as startTimer, clearTimeout as stopTimer } from "node:timers";
import type { OutputStream } from "./context.ts";
import { printableText } from "./output/printable.ts";

/** A line that tells how far a longer piece of work has come. */
export interface Progress {
  update(text: string): void;
  stop(): void;
}

/** Work shorter than this, in milliseconds, is not worth a line. */
const QUIET = 1_000;

const SILENT: Progress = { update: () => {}, stop: () => {} };

/** Shows progress on stderr once the work has taken a second, and only to a person. */
export function startProgress(stderr: OutputStream, text: string): Progress {
  // A spinner on a line of no width would repaint for ever.
  if (!stderr.isTerminal || stderr.columns === 0) return SILENT;
  let latest = printableText(text);
  let stopped = false;
  let spinner: { text: string; stop(): unknown } | null = null;

  const show = async () => {
    const { ora } = await import("./spinner.ts");
    if (stopped) return;
    spinner = ora({
      text: latest,
      stream: stderr.writable as NodeJS.WriteStream,
      discardStdin: false,
    }).start();
  };
  const timer = startTimer(() => void show(), QUIET);

  return {
    update(next) {
      latest = printableText(next);
      if (spinner) spinner.text = latest;
    },
    stop() {
      stopped = true;
      stopTimer(timer);
      spinner?.stop();
    },
  };
}
