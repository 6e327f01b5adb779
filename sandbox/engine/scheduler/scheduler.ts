import { clearImmediate, clearTimeout, setImmediate, setTimeout } from "node:timers";
import { setImmediate as yieldTurn } from "node:timers/promises";
import { MAX_TIME_MS } from "../../../src/domain/time-range.ts";
import type { AgendaItem } from "../../api/sandbox.ts";
import {
  AGENDA,
  findFirstTask,
  listTasks,
  removeTask,
  removeTasksFor,
  type ScheduledTask,
  takeDueTasks,
} from "../../store/agenda.ts";
import type { Store } from "../../store/open.ts";
import type { NewRowOf } from "../../store/table.ts";
import { type Clock, formatTime } from "./clock.ts";

/** The task that follows another one, for the same subject. */
export interface FollowUpTask {
  readonly dueAt: number;
  readonly kind: string;
}

/** Runs a task that is due. The clock does not move on until the promise settles. */
export type TaskHandler = (subject: string) => FollowUpTask | null | Promise<FollowUpTask | null>;

export type TaskFilter = (task: ScheduledTask) => boolean;

/** Tasks that run between two turns of the event loop: a few milliseconds. */
export const TASKS_PER_TURN = 250;

/** The longest delay that setTimeout takes (2³¹ − 1 ms). A later task arms the timer again. */
const MAX_TIMER_MS = 2_147_483_647;

/** The `seq` of an effect: something that a running task did to another subject. */
export const EFFECT_SEQ = 0;

export type Scheduler = ReturnType<typeof createScheduler>;

/**
 * Keeps everything that is due later as a row with a due time (product.md, promise 5). Tasks run in the order (due time,
 * creation). A follow-up task keeps its predecessor's sequence number, so the order does not depend on how long the work
 * took. One timer waits for the next task; with a frozen clock there is none.
 */
export function createScheduler(store: Store, clock: Clock, onError: (error: unknown) => void) {
  const handlers = new Map<string, TaskHandler>();
  const outgoingKinds = new Set<string>();
  const inFlight = new Map<Promise<void>, ScheduledTask>();
  const listeners = new Set<(task: ScheduledTask) => void>();
  let timer: NodeJS.Timeout | undefined;
  let timerDueAt = Number.POSITIVE_INFINITY;
  let wake: NodeJS.Immediate | undefined;
  let hold: Promise<void> | null = null;
  let isStopped = false;

  /** Waits for the response to the request that scheduled the task: a job that is due at once starts after its 202. */
  const wakeSoon = (): void => {
    if (isStopped) return;
    clearImmediate(wake);
    wake = setImmediate(runDue);
  };

  const armTimer = (): void => {
    clearTimeout(timer);
    timerDueAt = Number.POSITIVE_INFINITY;
    if (clock.isFrozen || isStopped || hold) return;
    const task = findFirstTask(store);
    if (!task) return;
    timerDueAt = task.dueAt;
    timer = setTimeout(runDue, Math.min(Math.max(task.dueAt - clock.now(), 0), MAX_TIMER_MS));
  };

  /** What would be due after the last RFC 3339 time is due then. */
  const add = ({ dueAt, ...other }: NewRowOf<typeof AGENDA>): void => {
    const task = { ...other, dueAt: Math.min(dueAt, MAX_TIME_MS) };
    AGENDA.insert(store, task);
    if (task.dueAt <= clock.now()) wakeSoon();
    else if (task.dueAt < timerDueAt) armTimer();
  };

  const notify = (task: ScheduledTask): void => {
    for (const listener of listeners) listener(task);
  };

  const perform = async ({ seq, kind, subject }: ScheduledTask): Promise<void> => {
    const handler = handlers.get(kind);
    if (!handler) throw new Error(`no handler for tasks of kind ${kind}`);
    const next = await handler(subject);
    if (next) add({ ...next, seq, subject });
  };

  const run = (task: ScheduledTask): void => {
    notify(task);
    const promise = perform(task).catch(onError);
    inFlight.set(promise, task);
    void promise.finally(() => inFlight.delete(promise));
  };

  const listRunning = (matches: TaskFilter): Promise<void>[] =>
    [...inFlight].flatMap(([promise, task]) => (matches(task) ? [promise] : []));

  /** Starts the due tasks. Returns false if more are due than start in one turn. */
  function runDue(): boolean {
    while (!isStopped && !hold) {
      const tasks = takeDueTasks(store, clock.now(), TASKS_PER_TURN);
      if (tasks.length === 0) break;
      for (const task of tasks) run(task);
      if (tasks.length < TASKS_PER_TURN) continue;
      wakeSoon();
      return false;
    }
    armTimer();
    return true;
  }

  return {
    armTimer,

    get isStopped(): boolean {
      return isStopped;
    },

    /** While a promise, no task starts. */
    get hold(): Promise<void> | null {
      return hold;
    },

    /** @param isOutgoing whether the task sends a request to a receiver, which may call the sandbox before it answers */
    handle(kind: string, handler: TaskHandler, { isOutgoing = false } = {}): void {
      handlers.set(kind, handler);
      if (isOutgoing) outgoingKinds.add(kind);
    },

    hasHandler: (kind: string) => handlers.has(kind),
    isOutgoing: ({ kind }: ScheduledTask) => outgoingKinds.has(kind),
    schedule: (dueAt: number, kind: string, subject: string): void => add({ dueAt, kind, subject }),

    /** Removes tasks that have not started. */
    cancel(kind: string, subject: string): void {
      removeTasksFor(store, kind, subject);
      armTimer();
    },

    /** The tasks that have not started, in order. */
    agenda: (): AgendaItem[] => listTasks(store).map(toAgendaItem),

    /** The first task that has not started; `maxSeq` leaves out newer ones. */
    nextTask: (maxSeq?: number) => findFirstTask(store, maxSeq),

    /** Calls `listener` with each task that starts, and with each effect. Returns a function that stops it. */
    onStart(listener: (task: ScheduledTask) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    /** Reports what a running task did to another subject, so that an advance lists it. */
    reportEffect(kind: string, subject: string): void {
      notify({ seq: EFFECT_SEQ, dueAt: clock.now(), kind, subject });
    },

    /** Starts one task that `nextTask` returned. */
    start(task: ScheduledTask): void {
      removeTask(store, task.seq);
      run(task);
    },

    inFlightTasks: () => [...inFlight.values()],

    /** Resolves when no matching task is in flight, including those that start meanwhile. */
    async whenDone(matches: TaskFilter): Promise<void> {
      for (;;) {
        const promises = listRunning(matches);
        if (promises.length === 0) return;
        await Promise.all(promises);
      }
    },

    /**
     * Runs due tasks until no matching one is left, then calls `read` in the same turn.
     *
     * @param waitUntilReady called before each round, until it returns null; by default it waits for a hold to end
     */
    async drain<T>(
      read: () => T,
      matches: TaskFilter,
      waitUntilReady: () => Promise<void> | null = () => hold,
    ): Promise<T> {
      for (;;) {
        for (let ready = waitUntilReady(); ready; ready = waitUntilReady()) await ready;
        const hasStartedAll = runDue();
        const promises = listRunning(matches);
        if (hasStartedAll && promises.length === 0) return read();
        if (!hasStartedAll) await yieldTurn();
        await Promise.all(promises);
      }
    },

    /** Starts no task while `work` runs. */
    async runHeld<T>(work: () => Promise<T>): Promise<T> {
      while (hold) await hold;
      let release = () => {};
      hold = new Promise((resolve) => {
        release = resolve;
      });
      try {
        return await work();
      } finally {
        hold = null;
        release();
        runDue();
      }
    },

    /** Starts no more tasks. */
    stop(): void {
      isStopped = true;
      clearTimeout(timer);
      clearImmediate(wake);
    },
  };
}

export const toAgendaItem = ({ dueAt, kind, subject }: ScheduledTask): AgendaItem => ({
  dueAt: formatTime(dueAt),
  kind,
  subject,
});
