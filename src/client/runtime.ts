export interface Runtime {
  /** Milliseconds since the epoch. This clock may be set, and it moves on while the machine sleeps. */
  now(): number;
  /** Milliseconds of a clock that cannot be set. Default: `now()`. */
  monotonic?(): number;
  /** In [0, 1). */
  random(): number;
  /** Rejects with the signal's reason when it is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** For durations and deadlines: if the clock of `now()` is set, a deadline would come too early or much too late. */
export const readMonotonic = (runtime: Pick<Runtime, "now" | "monotonic">): number =>
  runtime.monotonic?.() ?? runtime.now();
