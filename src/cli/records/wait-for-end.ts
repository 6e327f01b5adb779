import { type JobProgress, pollUntilEnded } from "../../client/wait.ts";
import type { Service } from "../connection/service.ts";
import type { Context } from "../context.ts";
import { startProgress } from "../output/progress.ts";

/** The wait of `--wait` without `--timeout` (product.md §3). */
export const DEFAULT_WAIT_MS = 15 * 60_000;

interface WaitOptions<J> {
  /** As in `the job`. */
  readonly what: string;
  readonly ask: () => Promise<J>;
  /** Milliseconds. */
  readonly timeout: number | undefined;
  readonly describe: (seen: JobProgress) => string;
}

export async function waitForEnd<J extends { readonly seen: JobProgress }>(
  context: Context,
  { client }: Service,
  { what, ask, timeout = DEFAULT_WAIT_MS, describe }: WaitOptions<J>,
): Promise<J> {
  const progress = startProgress(context.stderr, `waiting for ${what}`);
  try {
    return await pollUntilEnded(ask, {
      runtime: context,
      timeoutMs: timeout,
      signal: context.signal,
      onProgress: (seen) => progress.update(describe(seen)),
      outlast: (work, deadline) => client.outlast(work, deadline),
      findOutage: () => client.outage,
    });
  } finally {
    progress.stop();
  }
}
