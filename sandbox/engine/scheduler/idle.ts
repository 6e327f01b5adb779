import { clearTimeout, setTimeout } from "node:timers";
import { readLastTaskSeq, type ScheduledTask } from "../../store/agenda.ts";
import type { Timekeeping } from "./scheduler.ts";

/** Newer tasks that a waiter still waits for: a client that never stops must not keep the clock from moving. */
const MAX_LATE_TASKS = 250;

/** Milliseconds of wall time to wait for requests to receivers. */
const OUTGOING_TIMEOUT_MS = 1_000;

export type IdleWaiter = ReturnType<typeof createIdleWaiter>;

/** One waiter. A follow-up task keeps its predecessor's sequence number, so it counts as queued before the wait began. */
export function createIdleWaiter({ store, scheduler }: Timekeeping) {
  const lastSeq = readLastTaskSeq(store);
  let lateTasks = 0;
  const stop = scheduler.onStart(({ seq }) => {
    if (seq > lastSeq) lateTasks += 1;
  });
  return {
    stop,
    /** Undefined while the waiter also waits for tasks that were added after the wait began. */
    get maxSeq(): number | undefined {
      return lateTasks > MAX_LATE_TASKS ? lastSeq : undefined;
    },
    includes: ({ seq }: ScheduledTask): boolean => lateTasks <= MAX_LATE_TASKS || seq <= lastSeq,
  };
}

/** Waits until due tasks have run, so that a response does not show how long work takes (product.md, promise 5). */
export function createIdle(time: Timekeeping) {
  const { clock, scheduler } = time;

  const wait = async <T>(drain: (waiter: IdleWaiter) => Promise<T>): Promise<T> => {
    const waiter = createIdleWaiter(time);
    try {
      return await drain(waiter);
    } finally {
      waiter.stop();
    }
  };

  const whenIdle = (): Promise<void> => wait(({ includes }) => scheduler.drain(() => undefined, includes));

  return {
    whenIdle,

    whenTaskDone: (kind: string, subject: string): Promise<void> =>
      scheduler.drain(
        () => undefined,
        (task) => task.kind === kind && task.subject === subject,
      ),

    /** Calls `read` when no task is due for `subject`; with a running clock, at once. */
    async whenSubjectIdle<T>(read: () => T, subject: string): Promise<T> {
      if (!clock.isFrozen) return read();
      return scheduler.drain(read, (task) => task.subject === subject);
    },

    async whenSettled<T>(read: () => T): Promise<T> {
      if (!clock.isFrozen) return read();
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, OUTGOING_TIMEOUT_MS);
      });
      await Promise.race([whenIdle(), timeout]);
      clearTimeout(timer);
      return wait(({ includes }) =>
        scheduler.drain(read, (task) => !scheduler.isOutgoing(task) && includes(task)),
      );
    },
  };
}
