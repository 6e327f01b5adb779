import { clearImmediate, clearTimeout, setImmediate, setTimeout } from "node:timers";
import { setImmediate as yieldTurn } from "node:timers/promises";
import { MAX_TIME_MS } from "../../../src/domain/time-range.ts";
import type { AgendaItem } from "../../api/sandbox.ts";
import {
  AGENDA,
  findFirstTask,
  listTasks,
  moveTasks,
  removeTask,
  removeTasksFor,
  type ScheduledTask,
  takeDueTasks,
} from "../../store/agenda.ts";
import type { Store } from "../../store/store.ts";
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

const MAX_TIMER_MS = 1_000;

/** What decides when a task runs. */
export interface SchedulerContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
}

/**
 * Keeps everything that is due later as a row with a due time (product.md, promise 5). Tasks run in the order (due time,
 * creation). A follow-up task keeps its predecessor's sequence number, so the order does not depend on how long the work
 * took. One timer waits for the next task; with a frozen clock there is none.
 */
export class Scheduler {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #handlers = new Map<string, TaskHandler>();
  readonly #outgoingKinds = new Set<string>();
  readonly #inFlight = new Map<Promise<void>, ScheduledTask>();
  readonly #listeners = new Set<(task: ScheduledTask) => void>();
  #timer: NodeJS.Timeout | undefined;
  #timerDueAt = Number.POSITIVE_INFINITY;
  #wake: NodeJS.Immediate | undefined;
  #suspension: Promise<void> | null = null;
  #isStopped = false;

  constructor(store: Store, clock: Clock, onError: (error: unknown) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onError = onError;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Resolves when tasks may start again; null while they may. */
  get suspension(): Promise<void> | null {
    return this.#suspension;
  }

  /** @param isOutgoing whether the task sends a request to a receiver, which may call the sandbox before it answers */
  handle(kind: string, handler: TaskHandler, { isOutgoing = false } = {}): void {
    this.#handlers.set(kind, handler);
    if (isOutgoing) this.#outgoingKinds.add(kind);
  }

  isOutgoing({ kind }: ScheduledTask): boolean {
    return this.#outgoingKinds.has(kind);
  }

  /** Adds a task for each subject, in this order. */
  schedule(dueAt: number, kind: string, ...subjects: readonly string[]): void {
    this.#add(...subjects.map((subject) => ({ dueAt, kind, subject })));
  }

  /** Removes tasks that have not started. */
  cancel(kind: string, subject: string): void {
    removeTasksFor(this.#store, kind, subject);
    this.rescheduleTimer();
  }

  /** The tasks that have not started, in order. */
  agenda(): AgendaItem[] {
    return listTasks(this.#store).map(toAgendaItem);
  }

  /** The first task that has not started; `maxSeq` leaves out newer ones. */
  nextTask(maxSeq?: number): ScheduledTask | undefined {
    return findFirstTask(this.#store, maxSeq);
  }

  /** Calls `listener` with each task that starts. Returns a function that stops it. */
  onStart(listener: (task: ScheduledTask) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Starts one task that `nextTask` returned. */
  start(task: ScheduledTask): void {
    removeTask(this.#store, task.seq);
    this.#run(task);
  }

  inFlightTasks(): ScheduledTask[] {
    return [...this.#inFlight.values()];
  }

  /** Resolves when no matching task is in flight, including those that start meanwhile. */
  async whenDone(matches: TaskFilter): Promise<void> {
    for (;;) {
      const promises = this.#listRunning(matches);
      if (promises.length === 0) return;
      await Promise.all(promises);
    }
  }

  /**
   * Runs due tasks until no matching one is left, then does `work` in the same turn.
   *
   * @param check called before each round, and before and after a suspension; its error ends the wait
   */
  async drain<T>(work: () => T, matches: TaskFilter, check = () => {}): Promise<T> {
    for (;;) {
      check();
      if (this.#suspension) {
        await this.#suspension;
        continue;
      }
      const hasStartedAll = this.#runDue();
      const promises = this.#listRunning(matches);
      if (hasStartedAll && promises.length === 0) return work();
      if (!hasStartedAll) await yieldTurn();
      await Promise.all(promises);
    }
  }

  /** Starts no task while `work` runs. */
  async runSuspended<T>(work: () => Promise<T>): Promise<T> {
    while (this.#suspension) await this.#suspension;
    let resume = () => {};
    this.#suspension = new Promise((resolve) => {
      resume = resolve;
    });
    try {
      return await work();
    } finally {
      this.#suspension = null;
      resume();
      this.#runDue();
    }
  }

  /** Waits for the next task, where the clock runs. */
  rescheduleTimer(): void {
    clearTimeout(this.#timer);
    this.#timerDueAt = Number.POSITIVE_INFINITY;
    if (this.#clock.isFrozen || this.#isStopped || this.#suspension) return;
    this.#shiftTasksAfterClockStep();
    const task = findFirstTask(this.#store);
    if (!task) return;
    this.#timerDueAt = task.dueAt;
    // Check at least every second: a timer stops while the machine sleeps, and the clock may be set.
    const delay = Math.min(Math.max(task.dueAt - this.#clock.now(), 0), MAX_TIMER_MS);
    this.#timer = setTimeout(() => this.#runDue(), delay);
  }

  /** If the wall clock was set back by N ms, move every due time back by N ms; otherwise tasks would run N ms late. */
  #shiftTasksAfterClockStep(): void {
    const backwardStepMs = this.#clock.takeBackwardStepMs();
    if (backwardStepMs > 0) moveTasks(this.#store, -backwardStepMs);
  }

  /** Starts no more tasks. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    clearImmediate(this.#wake);
  }

  /** Waits for the response to the request that scheduled the task: a job that is due at once starts after its 202. */
  #wakeSoon(): void {
    if (this.#isStopped) return;
    clearImmediate(this.#wake);
    this.#wake = setImmediate(() => this.#runDue());
  }

  /** What would be due after the last RFC 3339 time is due then. */
  #add(...given: readonly NewRowOf<typeof AGENDA>[]): void {
    const tasks = given.map((task) => ({ ...task, dueAt: Math.min(task.dueAt, MAX_TIME_MS) }));
    AGENDA.insert(this.#store, ...tasks);
    const dueAt = Math.min(...tasks.map((task) => task.dueAt));
    if (dueAt <= this.#clock.now()) this.#wakeSoon();
    else if (dueAt < this.#timerDueAt) this.rescheduleTimer();
  }

  async #perform({ seq, kind, subject }: ScheduledTask): Promise<void> {
    const handler = this.#handlers.get(kind);
    if (!handler) throw new Error(`no handler for tasks of kind ${kind}`);
    const next = await handler(subject);
    if (next) this.#add({ ...next, seq, subject });
  }

  #run(task: ScheduledTask): void {
    for (const listener of this.#listeners) listener(task);
    const promise = this.#perform(task).catch(this.#onError);
    this.#inFlight.set(promise, task);
    void promise.finally(() => this.#inFlight.delete(promise));
  }

  #listRunning(matches: TaskFilter): Promise<void>[] {
    return [...this.#inFlight].flatMap(([promise, task]) => (matches(task) ? [promise] : []));
  }

  /** Starts the due tasks. Returns false if more are due than start in one turn. */
  #runDue(): boolean {
    while (!this.#isStopped && !this.#suspension) {
      const tasks = takeDueTasks(this.#store, this.#clock.now(), TASKS_PER_TURN);
      if (tasks.length === 0) break;
      for (const task of tasks) this.#run(task);
      if (tasks.length < TASKS_PER_TURN) continue;
      this.#wakeSoon();
      return false;
    }
    this.rescheduleTimer();
    return true;
  }
}

export const toAgendaItem = ({ dueAt, kind, subject }: ScheduledTask): AgendaItem => ({
  dueAt: formatTime(dueAt),
  kind,
  subject,
});
