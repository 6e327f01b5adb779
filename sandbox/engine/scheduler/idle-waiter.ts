import type { ScheduledTask } from "../../store/agenda.ts";

/**
 * Rows that are added while somebody waits for what is due, and that are waited for all the same: a client that never
 * stops must not keep the clock from moving.
 */
const MAX_LATE_TASKS = 250;

/** Somebody who waits for what is due. A row that follows another one has its seq: what belongs to the early is early. */
export class IdleWaiter {
  /** Of the last row that was there when the waiting began. */
  readonly lastSeq: number;
  #lateTasks = 0;

  constructor(lastSeq: number) {
    this.lastSeq = lastSeq;
  }

  /** Whether so many have come later that only those that were there are waited for. */
  get isIgnoringLateTasks(): boolean {
    return this.#lateTasks > MAX_LATE_TASKS;
  }

  /** A row has begun. */
  countStarted({ seq }: ScheduledTask): void {
    if (seq > this.lastSeq) this.#lateTasks += 1;
  }

  isWaitingFor({ seq }: ScheduledTask): boolean {
    return !this.isIgnoringLateTasks || seq <= this.lastSeq;
  }
}
