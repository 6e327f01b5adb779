import type { Limit } from "../../src/domain/limit.ts";

/** Work that can be aborted as a whole: what is in progress and what waits for its turn, not what comes later. */
export function createAbortScope() {
  let controller = new AbortController();
  return {
    /** Runs `work` when its turn comes; returns null if it was aborted before. */
    run<T>(limit: Limit, work: (signal: AbortSignal) => Promise<T | null>): Promise<T | null> {
      const { signal } = controller;
      return limit(async () => (signal.aborted ? null : work(signal)));
    },

    abort(): void {
      controller.abort();
      controller = new AbortController();
    },
  };
}
