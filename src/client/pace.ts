import { brandClass } from "../domain/brand-class.ts";
import type { Surroundings } from "./surroundings.ts";

export interface PaceOptions {
  readonly surroundings: Surroundings;
  /** Requests at once, at the most. */
  readonly concurrency: number;
}

/**
 * What the requests of a batch share, so that one 429 slows all of them: how many may be under way, and until when
 * nobody starts. The number is halved at a slow-down and grows by one after as many answers in a row as it allows at
 * once (additive increase, multiplicative decrease, as TCP does it: RFC 5681 §3.1).
 */
export class Pace {
  readonly #surroundings: Surroundings;
  readonly #most: number;
  readonly #waiting = new Set<() => void>();
  #allowed: number;
  #underWay = 0;
  #inARow = 0;
  #pausedUntil = 0;

  static {
    brandClass(Pace, "Pace");
  }

  constructor({ surroundings, concurrency }: PaceOptions) {
    this.#surroundings = surroundings;
    this.#most = Math.max(1, Math.floor(concurrency));
    this.#allowed = this.#most;
  }

  /**
   * Waits until a request may start.
   *
   * @returns to be called when it has been answered
   */
  async turn(signal?: AbortSignal): Promise<() => void> {
    for (;;) {
      const pause = this.#pausedUntil - this.#surroundings.now();
      if (pause > 0) await this.#surroundings.sleep(pause, signal);
      else if (this.#underWay >= this.#allowed) await this.#room(signal);
      else break;
    }
    this.#underWay += 1;
    return () => this.#release();
  }

  /** Nobody starts within the next milliseconds. What is refused while that lasts was sent before it: one lesson. */
  slowDown(milliseconds: number): void {
    const now = this.#surroundings.now();
    if (this.#pausedUntil <= now) this.#allowed = Math.max(1, Math.floor(this.#allowed / 2));
    this.#pausedUntil = Math.max(this.#pausedUntil, now + milliseconds);
    this.#inARow = 0;
  }

  #release(): void {
    this.#underWay -= 1;
    this.#inARow += 1;
    if (this.#inARow >= this.#allowed && this.#allowed < this.#most) {
      this.#allowed += 1;
      this.#inARow = 0;
    }
    for (const wake of this.#waiting) wake();
  }

  /** Resolves at the next release; whoever is first in line looks first. */
  #room(signal: AbortSignal | undefined): Promise<void> {
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
