import { type JobProgress, pollUntilEnded } from "../../client/wait.ts";
import type { Context } from "../context.ts";
import { startProgress } from "../output/progress.ts";

/** How long `--wait` waits unless `--timeout` says otherwise (product.md §3). */
export const DEFAULT_WAIT_MS = 15 * 60_000;

interface WaitOptions<J> {
  /** As in `the job`. */
  readonly what: string;
  readonly ask: () => Promise<J>;
  /** Milliseconds. */
  readonly timeout: number | undefined;
  /** How far it has come, for a person. */
  readonly describe: (seen: JobProgress) => string;
}

/** Waits as `pollUntilEnded` does, and shows a person how far it has come. */
export async function waitForEnd<J extends { readonly seen: JobProgress }>(
  context: Context,
  { what, ask, timeout = DEFAULT_WAIT_MS, describe: inWords }: WaitOptions<J>,
): Promise<J> {
  const progress = startProgress(context.stderr, `waiting for ${what}`);
  try {
    return await pollUntilEnded(ask, {
      runtime: context,
      timeoutMs: timeout,
      signal: context.signal,
      onProgress: (seen) => progress.update(inWords(seen)),
    });
  } finally {
    progress.stop();
  }
}
