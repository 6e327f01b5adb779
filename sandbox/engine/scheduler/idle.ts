import { clearTimeout, setTimeout } from "node:timers";
import { readLastTaskSeq, type ScheduledTask } from "../../store/agenda.ts";
import type { EngineCore } from "../core.ts";

/** Newer tasks that a waiter still waits for: a client that never stops must not keep the clock from moving. */
const MAX_LATE_TASKS = 250;

/** Milliseconds of wall time to wait for requests to receivers. */
const OUTGOING_TIMEOUT_MS = 1_000;

/** One waiter. A follow-up task keeps its predecessor's sequence number, so it counts as queued before the wait began. */
export class IdleWaiter {
  readonly #lastSeq: number;
  readonly stop: () => void;
  #lateTasks = 0;

  constructor({ store, scheduler }: EngineCore) {
    this.#lastSeq = readLastTaskSeq(store);
    this.stop = scheduler.onStart(({ seq }) => {
      if (seq > this.#lastSeq) this.#lateTasks += 1;
    });
  }

  /** Undefined while the waiter also waits for tasks that were added after the wait began. */
  get maxSeq(): number | undefined {
    return this.#lateTasks > MAX_LATE_TASKS ? this.#lastSeq : undefined;
  }

  readonly includes = ({ seq }: ScheduledTask): boolean => seq <= (this.maxSeq ?? seq);
}

/** Waits until due tasks have run, so that a response does not show how long work takes (product.md, promise 5). */
export class Idle {
  readonly #core: EngineCore;

  constructor(core: EngineCore) {
    this.#core = core;
  }

  /** Resolves when all due tasks have run. */
  whenIdle(): Promise<void> {
    return this.#wait((waiter) => this.#core.scheduler.drain(() => undefined, waiter.includes));
  }

  whenTaskDone(kind: string, subject: string): Promise<void> {
    return this.#core.scheduler.drain(
      () => undefined,
      (task) => task.kind === kind && task.subject === subject,
    );
  }

  /** Calls `read` when no task is due for `subject`; with a running clock, at once. */
  async whenSubjectIdle<T>(read: () => T, subject: string): Promise<T> {
    if (!this.#core.clock.isFrozen) return read();
    return this.#core.scheduler.drain(read, (task) => task.subject === subject);
  }

  /** Calls `read` when no task is due. It waits for requests to receivers for a second of wall time at most. */
  async whenSettled<T>(read: () => T): Promise<T> {
    if (!this.#core.clock.isFrozen) return read();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, OUTGOING_TIMEOUT_MS);
    });
    await Promise.race([this.whenIdle(), timeout]);
    clearTimeout(timer);
    return this.#wait((waiter) =>
      this.#core.scheduler.drain(
        read,
        (task) => !this.#core.scheduler.isOutgoing(task) && waiter.includes(task),
      ),
    );
  }

  async #wait<T>(drain: (waiter: IdleWaiter) => Promise<T>): Promise<T> {
    const waiter = new IdleWaiter(this.#core);
    try {
      return await drain(waiter);
    } finally {
      waiter.stop();
    }
  }
}
