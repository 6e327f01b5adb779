import { clearTimeout, setTimeout } from "node:timers";
import { readLastTaskSeq, type ScheduledTask } from "../../store/agenda.ts";
import type { SchedulerContext, TaskFilter } from "./scheduler.ts";

/** Newer tasks that a waiter still waits for: a client that never stops must not keep the clock from moving. */
const MAX_LATE_TASKS = 250;

/** Milliseconds of wall time to wait for requests to receivers. */
const OUTGOING_TIMEOUT_MS = 1_000;

export type Waiter = ReturnType<typeof createWaiter>;

/** One waiter. A follow-up task keeps its predecessor's sequence number, so it counts as queued before the wait began. */
export function createWaiter({ store, scheduler }: SchedulerContext) {
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
export function createQuiescence(context: SchedulerContext) {
  const { clock, scheduler } = context;

  const drain = async <T>(work: () => T, matches: TaskFilter = () => true): Promise<T> => {
    const waiter = createWaiter(context);
    try {
      return await scheduler.drain(work, (task) => matches(task) && waiter.includes(task));
    } finally {
      waiter.stop();
    }
  };

  const whenIdle = (): Promise<void> => drain(() => undefined);

  return {
    whenIdle,

    /** Does `work` when no task is due for `subject`; with a running clock, at once. */
    async runForSubject<T>(subject: string, work: () => T): Promise<T> {
      if (!clock.isFrozen) return work();
      return scheduler.drain(work, (task) => task.subject === subject);
    },

    /** Does `work` when no task is due, or only requests to receivers are late; with a running clock, at once. */
    async run<T>(work: () => T): Promise<T> {
      if (!clock.isFrozen) return work();
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, OUTGOING_TIMEOUT_MS);
      });
      await Promise.race([whenIdle(), timeout]);
      clearTimeout(timer);
      return drain(work, (task) => !scheduler.isOutgoing(task));
    },
  };
}
