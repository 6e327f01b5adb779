import { setTimeout as startTimer, clearTimeout as stopTimer } from "node:timers";
import type { OutputStream } from "../context.ts";
import { sanitizeText } from "./sanitize.ts";

/** A line that tells how far a longer piece of work has come. */
export interface ProgressIndicator {
  update(text: string): void;
  stop(): void;
}

/** Work shorter than this, in milliseconds, is not worth a line. */
const SPINNER_DELAY_MS = 1_000;

const NO_INDICATOR: ProgressIndicator = { update: () => {}, stop: () => {} };

/** Shows progress on stderr once the work has taken a second, and only to a person. */
export function startProgress(stderr: OutputStream, text: string): ProgressIndicator {
  // A spinner on a line of no width would repaint for ever.
  if (!stderr.isTerminal || stderr.columns === 0) return NO_INDICATOR;
  let latest = sanitizeText(text);
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
  const timer = startTimer(() => void show(), SPINNER_DELAY_MS);

  return {
    update(next) {
      latest = sanitizeText(next);
      if (spinner) spinner.text = latest;
    },
    stop() {
      stopped = true;
      stopTimer(timer);
      spinner?.stop();
    },
  };
}
