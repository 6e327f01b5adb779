import type { ScheduledTask } from "../store/agenda.ts";

/**
 * Rows that are added while somebody waits for what is due, and that are waited for all the same: a client that never
 * stops must not keep the clock from moving.
 */
const MOST_LATECOMERS = 250;

/** Somebody who waits for what is due. A row that follows another one has its seq: what belongs to the early is early. */
export class Waiting {
  /** Of the last row that was there when the waiting began. */
  readonly lastSeq: number;
  #latecomers = 0;

  constructor(lastSeq: number) {
    this.lastSeq = lastSeq;
  }

  /** Whether so many have come later that only those that were there are waited for. */
  get isCrowded(): boolean {
    return this.#latecomers > MOST_LATECOMERS;
  }

  /** A row has begun. */
  see({ seq }: ScheduledTask): void {
    if (seq > this.lastSeq) this.#latecomers += 1;
  }

  isFor({ seq }: ScheduledTask): boolean {
    return !this.isCrowded || seq <= this.lastSeq;
  }
}
