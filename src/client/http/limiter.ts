import { EventEmitter, once } from "node:events";
import { type Runtime, readMonotonic } from "../runtime.ts";

/** Lets one 429 slow all requests of a batch: halves the limit, which successes raise by one (AIMD, RFC 5681 §3.1). */
export class AdaptiveLimiter {
  readonly #runtime: Runtime;
  readonly #maxInFlight: number;
  readonly #releases = new EventEmitter().setMaxListeners(0);
  #limit: number;
  #inFlight = 0;
  #successesInARow = 0;
  #pausedUntil = 0;

  constructor({ runtime, concurrency }: { readonly runtime: Runtime; readonly concurrency: number }) {
    this.#runtime = runtime;
    this.#maxInFlight = Math.max(1, Math.floor(concurrency));
    this.#limit = this.#maxInFlight;
  }

  /** Waits until a request may start; resolves to a function to call after its response. */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    for (;;) {
      const pause = this.#pausedUntil - readMonotonic(this.#runtime);
      if (pause > 0) await this.#runtime.sleep(pause, signal);
      else if (this.#inFlight >= this.#limit) await this.#waitForRelease(signal);
      else break;
    }
    this.#inFlight += 1;
    return () => this.#release();
  }

  /** Delays new requests. A refusal during a pause belongs to an earlier request and does not halve the limit again. */
  slowDown(milliseconds: number): void {
    const now = readMonotonic(this.#runtime);
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
    this.#releases.emit("release");
  }

  /** All waiting requests wake at the next release, in the order of their calls; the first ones find room. */
  async #waitForRelease(signal: AbortSignal | undefined): Promise<void> {
    await once(this.#releases, "release", { ...(signal && { signal }) }).catch(() => {
      throw signal?.reason;
    });
  }
}
