import type { Runtime } from "../runtime.ts";

export interface LimiterOptions {
  readonly runtime: Runtime;
  /** Requests at once, at the most. */
  readonly concurrency: number;
}

/**
 * What the requests of a batch share, so that one 429 slows all of them: how many may be under way, and until when
 * nobody starts. The number is halved at a slow-down and grows by one after as many answers in a row as it allows at
 * once (additive increase, multiplicative decrease, as TCP does it: RFC 5681 §3.1).
 */
export class AdaptiveLimiter {
  readonly #runtime: Runtime;
  readonly #maxInFlight: number;
  readonly #waiting = new Set<() => void>();
  #limit: number;
  #inFlight = 0;
  #successesInARow = 0;
  #pausedUntil = 0;

  constructor({ runtime: surroundings, concurrency }: LimiterOptions) {
    this.#runtime = surroundings;
    this.#maxInFlight = Math.max(1, Math.floor(concurrency));
    this.#limit = this.#maxInFlight;
  }

  /**
   * Waits until a request may start.
   *
   * @returns to be called when it has been answered
   */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    for (;;) {
      const pause = this.#pausedUntil - this.#runtime.now();
      if (pause > 0) await this.#runtime.sleep(pause, signal);
      else if (this.#inFlight >= this.#limit) await this.#waitForRelease(signal);
      else break;
    }
    this.#inFlight += 1;
    return () => this.#release();
  }

  /** Nobody starts within the next milliseconds. What is refused while that lasts was sent before it: one lesson. */
  slowDown(milliseconds: number): void {
    const now = this.#runtime.now();
    if (this.#pausedUntil <= now) this.#limit = Math.max(1, Math.floor(this.#limit / 2));
    this.#pausedUntil = Math.max(this.#pausedUntil, now + milliseconds);
    this.#successesInARow = 0;
  }

  #release(): void {
    this.#inFlight -= 1;
    this.#successesInARow += 1;
    if (this.#successesInARow >= this.#limit && this.#limit < this.#maxInFlight) {
      this.#limit += 1;
      this.#successesInARow = 0;
    }
    for (const wake of this.#waiting) wake();
  }

  /** Resolves at the next release; whoever is first in line looks first. */
  #waitForRelease(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(wake);
        signal?.removeEventListener("abort", stop);
      };
      const wake = () => {
        leave();
        resolve();
      };
      const stop = () => {
        leave();
        reject(signal?.reason);
      };
      if (signal?.aborted) return reject(signal.reason);
      this.#waiting.add(wake);
      signal?.addEventListener("abort", stop);
    });
  }
}
