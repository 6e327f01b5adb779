import { setTimeout as startTimer, clearTimeout as stopTimer } from "node:timers";
import type { Context, OutputStream } from "../context.ts";
import { sanitizeText } from "./sanitize.ts";

export interface ProgressIndicator {
  update(text: string): void;
  stop(): void;
}

const SPINNER_DELAY_MS = 1_000;
const NO_INDICATOR: ProgressIndicator = { update: () => {}, stop: () => {} };

/** For a part of work that shows the progress of the whole. */
export const withoutProgress = (context: Context): Context => ({
  ...context,
  stderr: { ...context.stderr, columns: 0 },
});

/** Shows a spinner on stderr after a second of work, on terminals only. */
export function startProgress(stderr: OutputStream, text: string): ProgressIndicator {
  // On a line without width, a spinner repaints forever.
  if (!stderr.isTerminal || stderr.columns === 0 || stderr.messages === "ndjson") return NO_INDICATOR;
  let latest = sanitizeText(text);
  let stopped = false;
  let spinner: { text: string; stop(): unknown } | null = null;

  const show = async () => {
    const { default: ora } = await import("ora");
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
