import { clearImmediate, clearTimeout, setImmediate, setTimeout } from "node:timers";
import { setImmediate as breathe } from "node:timers/promises";
import {
  addTask,
  findFirstTask,
  findFirstTaskUpTo,
  listTasks,
  type NewScheduledTask,
  readLastTaskSeq,
  removeTask,
  removeTasksFor,
  type ScheduledTask,
  takeDueTasks,
} from "../../store/agenda.ts";
import type { Store } from "../../store/open.ts";
import { Semaphore } from "../semaphore.ts";
import type { Clock } from "./clock.ts";
import { advanceEndless, clockInterrupted, parseAdvanceTarget, parseSetTarget } from "./clock-target.ts";
import { Gate } from "./gate.ts";
import { IdleWaiter } from "./idle-waiter.ts";
import { InFlightTasks, type TaskFilter } from "./in-flight-tasks.ts";

/** What follows a row for the same subject. */
export interface FollowUpTask {
  readonly dueAt: number;
  readonly kind: string;
}

/** What happens when a row of this kind falls due; a promise keeps the clock from moving on until it settles. */
export type TaskHandler = (subject: string) => FollowUpTask | null | Promise<FollowUpTask | null>;

/** What ran while the clock was advanced. Times in milliseconds. */
export interface ClockMove {
  readonly from: number;
  readonly to: number;
  readonly ran: readonly ScheduledTask[];
}

/** An advance under way: rows that were due before it are no part of it. */
interface MoveInProgress {
  readonly from: number;
  readonly ran: ScheduledTask[];
}

/** A row that always schedules another one must not keep `advance("idle")` busy for ever. */
const MAX_TASKS_PER_ADVANCE = 1_000_000;

/** Between two looks at the network: some milliseconds. */
const TASKS_PER_TURN = 250;

/** Milliseconds of wall time that whoever looks waits for what has left the sandbox. */
const OUTGOING_TIMEOUT_MS = 1_000;

/** setTimeout's ceiling (2³¹ − 1 ms); a later row arms it again. */
const MAX_TIMER_MS = 2_147_483_647;

/**
 * Everything that waits is a row with a due time (product.md, promise 5). Rows run in the order (due time, creation);
 * a row that follows another one takes its place, so that the order does not tell how long the work between them took.
 * There is one timer, for the next row, and none with a frozen clock.
 */
export class Scheduler {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #maxTasks: number;
  readonly #handlers = new Map<string, TaskHandler>();
  readonly #inFlight = new InFlightTasks();
  readonly #outgoingKinds = new Set<string>();
  readonly #moves = new Set<MoveInProgress>();
  readonly #waiters = new Set<IdleWaiter>();
  #timer: NodeJS.Timeout | undefined;
  /** The due time that the timer is for. */
  #timerDueAt = Number.POSITIVE_INFINITY;
  #wake: NodeJS.Immediate | undefined;
  /** The clock is moved, or stands still for somebody, one at a time. */
  readonly #mutex = new Semaphore(1);
  /** The move of the clock that has begun last. */
  #currentMove: Promise<unknown> = Promise.resolve();
  /** While something must not change under somebody's hands, nothing begins. */
  #gate: Gate | null = null;
  /** An advance that began in another epoch is over. */
  #epoch = 0;
  #stopped = false;

  constructor(
    store: Store,
    clock: Clock,
    onError: (error: unknown) => void,
    { mostRows = MAX_TASKS_PER_ADVANCE }: { readonly mostRows?: number } = {},
  ) {
    this.#maxTasks = mostRows;
    this.#store = store;
    this.#clock = clock;
    this.#onError = onError;
  }

  /** Names what a kind of row does. One that `leaves` the sandbox waits for somebody who may ask it meanwhile. */
  handle(kind: string, action: TaskHandler, { leaves = false }: { readonly leaves?: boolean } = {}): void {
    this.#handlers.set(kind, action);
    if (leaves) this.#outgoingKinds.add(kind);
  }

  /** Another one as soon as everything is changed: what was begun before is about rows that are gone. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Whether something is to be done for rows of this kind. */
  hasHandler(kind: string): boolean {
    return this.#handlers.has(kind);
  }

  schedule(dueAt: number, kind: string, subject: string): void {
    this.#insert({ seq: null, dueAt, kind, subject });
  }

  /** Takes back what was scheduled and has not begun. */
  cancel(kind: string, subject: string): void {
    removeTasksFor(this.#store, kind, subject);
    this.#armTimer();
  }

  tasks(): ScheduledTask[] {
    return listTasks(this.#store);
  }

  /** Resolves when all that is due has run and settled. */
  whenIdle(): Promise<void> {
    return this.#withWaiter((waiting) =>
      this.#waitUntilIdle(
        () => undefined,
        (row) => waiting.isWaitingFor(row),
      ),
    );
  }

  /** The same for what is due of a kind for a subject. */
  whenTaskDone(kind: string, subject: string): Promise<void> {
    return this.#waitUntilIdle(
      () => undefined,
      (row) => row.kind === kind && row.subject === subject,
    );
  }

  /**
   * What `look` sees. With a frozen clock it looks when nothing is due any more for `subject`: how long work takes must
   * not show (product.md, promise 5). With a running clock it looks at once.
   */
  async whenSubjectIdle<T>(look: () => T, subject: string): Promise<T> {
    return this.#clock.isFrozen ? this.#waitUntilIdle(look, (row) => row.subject === subject) : look();
  }

  /** The same for all that is due. What leaves the sandbox is waited for a second of wall time at the most. */
  async whenSettled<T>(look: () => T): Promise<T> {
    if (!this.#clock.isFrozen) return look();
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, OUTGOING_TIMEOUT_MS);
    });
    await Promise.race([this.whenIdle(), patience]);
    clearTimeout(timer);
    return this.#withWaiter((waiting) =>
      this.#waitUntilIdle(look, (row) => !this.#outgoingKinds.has(row.kind) && waiting.isWaitingFor(row)),
    );
  }

  /** `to` as in `SandboxClock.advance`. One move of the clock at a time; the next one waits. */
  advance(to: string): Promise<ClockMove> {
    return this.#move(async (from, waiting) => {
      const target = this.#parseTarget(to, from);
      await this.#runUntil(target, waiting);
      if (target !== Number.POSITIVE_INFINITY) this.#clock.moveTo(target);
    });
  }

  /** Moves the clock at once: what falls due by that runs afterwards, late, as after the sleep of a machine. */
  jump(to: string): Promise<ClockMove> {
    return this.#move(async (_from, waiting) => {
      const time = parseSetTarget(to, this.#clock.now());
      this.#clock.moveTo(time);
      await this.#runDueForMove(this.#epoch, waiting);
    });
  }

  freeze(): void {
    this.#clock.freeze();
    this.#armTimer();
  }

  /** Lets the clock run from where it stands. */
  unfreeze(): void {
    this.#clock.unfreeze();
    this.#armTimer();
  }

  /** Tells an advance under way what a row has brought about. */
  recordEffect(kind: string, subject: string): void {
    const row = { seq: 0, dueAt: this.#clock.now(), kind, subject };
    for (const { ran } of this.#moves) ran.push(row);
  }

  /**
   * Does `work` while nothing begins and what runs inside the sandbox has settled. What has left it goes on: its rows are
   * given to `work`, for they are not among those that wait. It comes after an advance that is under way.
   */
  pause<T>(work: (leaving: readonly ScheduledTask[]) => Promise<T>): Promise<T> {
    return this.#mutex.run(() =>
      this.#withGateClosed(async () => {
        await this.#inFlight.whenDone((row) => !this.#outgoingKinds.has(row.kind));
        return work(this.#inFlight.tasks());
      }),
    );
  }

  /**
   * Does `work` while nothing runs at all, for it changes everything: `abandon` makes what is under way end. An advance
   * under way is given up.
   */
  interrupt<T>(abandon: () => Promise<void>, work: () => Promise<T>): Promise<T> {
    return this.#withGateClosed(async () => {
      this.#epoch += 1;
      await abandon();
      await this.#currentMove;
      await this.#inFlight.whenDone(() => true);
      return work();
    });
  }

  /** Nothing runs from here on; resolves when what is running has settled. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearImmediate(this.#wake);
    await this.whenIdle();
  }

  #move(work: (from: number, waiting: IdleWaiter) => Promise<void>): Promise<ClockMove> {
    const epoch = this.#epoch;
    return this.#mutex.run(async () => {
      while (this.#gate) await this.#gate.opened;
      const moved = this.#withWaiter((waiting) => this.#runMove(epoch, waiting, work));
      this.#currentMove = moved.then(
        () => undefined,
        () => undefined,
      );
      return moved;
    });
  }

  async #runMove(
    epoch: number,
    waiting: IdleWaiter,
    work: (from: number, waiting: IdleWaiter) => Promise<void>,
  ): Promise<ClockMove> {
    await this.#runDueForMove(epoch, waiting);
    const from = this.#clock.now();
    const ledger: MoveInProgress = { from, ran: [] };
    this.#moves.add(ledger);
    try {
      await work(from, waiting);
      return { ...ledger, to: this.#clock.now() };
    } finally {
      this.#armTimer();
      this.#moves.delete(ledger);
    }
  }

  /** Lets run what is due, for a move of the clock: it does not wait for whoever interrupts it. */
  #runDueForMove(epoch: number, waiting: IdleWaiter): Promise<void> {
    return this.#waitUntilIdle(
      () => undefined,
      (row) => waiting.isWaitingFor(row),
      () => {
        if (this.#epoch !== epoch) throw clockInterrupted();
      },
    );
  }

  async #runUntil(target: number, waiting: IdleWaiter): Promise<void> {
    const epoch = this.#epoch;
    for (let count = 0; !this.#stopped; count += 1) {
      if (this.#epoch !== epoch) throw clockInterrupted();
      const row = this.#nextDueTask(target, waiting);
      if (!row) return;
      if (count === this.#maxTasks) throw advanceEndless(count, row.kind);
      this.#clock.moveTo(row.dueAt);
      removeTask(this.#store, row.seq);
      this.#run(row);
      await this.#inFlight.whenDone((other) => waiting.isWaitingFor(other));
      if (count % TASKS_PER_TURN === TASKS_PER_TURN - 1) await breathe();
    }
  }

  /** Nothing begins until `work` has ended; those who wait for what is due wait that long. */
  async #withGateClosed<T>(work: () => Promise<T>): Promise<T> {
    while (this.#gate) await this.#gate.opened;
    const hold = new Gate();
    this.#gate = hold;
    try {
      return await work();
    } finally {
      this.#gate = null;
      hold.open();
      this.#runDue();
    }
  }

  #parseTarget(to: string, now: number): number {
    if (to === "idle") return Number.POSITIVE_INFINITY;
    return to === "next" ? (findFirstTask(this.#store)?.dueAt ?? now) : parseAdvanceTarget(to, now);
  }

  #nextDueTask(by: number, waiting: IdleWaiter): ScheduledTask | undefined {
    const row = waiting.isIgnoringLateTasks
      ? findFirstTaskUpTo(this.#store, waiting.lastSeq)
      : findFirstTask(this.#store);
    return row && row.dueAt <= by ? row : undefined;
  }

  /** Begins what is due; false where more is due than can begin in one turn. */
  #runDue(): boolean {
    while (!this.#stopped && !this.#gate) {
      const rows = takeDueTasks(this.#store, this.#clock.now(), TASKS_PER_TURN);
      if (rows.length === 0) break;
      for (const row of rows) this.#run(row);
      if (rows.length < TASKS_PER_TURN) continue;
      this.#scheduleRun();
      return false;
    }
    this.#armTimer();
    return true;
  }

  async #withWaiter<T>(wait: (waiting: IdleWaiter) => Promise<T>): Promise<T> {
    const waiting = new IdleWaiter(readLastTaskSeq(this.#store));
    this.#waiters.add(waiting);
    try {
      return await wait(waiting);
    } finally {
      this.#waiters.delete(waiting);
    }
  }

  #run(row: ScheduledTask): void {
    for (const waiting of this.#waiters) waiting.countStarted(row);
    for (const { from, ran } of this.#moves) if (row.dueAt > from) ran.push(row);
    this.#inFlight.add(row, this.#perform(row).catch(this.#onError));
  }

  async #perform({ seq, kind, subject }: ScheduledTask): Promise<void> {
    const action = this.#handlers.get(kind);
    if (!action) throw new Error(`nothing is known to do for an agenda row of kind ${kind}`);
    const next = await action(subject);
    if (next) this.#insert({ ...next, seq, subject });
  }

  #insert(row: NewScheduledTask): void {
    addTask(this.#store, row);
    if (row.dueAt <= this.#clock.now()) this.#scheduleRun();
    else if (row.dueAt < this.#timerDueAt) this.#armTimer();
  }

  /**
   * Lets run what is due, and looks in the same turn in which it finds nothing left to wait for.
   *
   * @param ready is asked before each round; usually it waits for whoever holds everything
   */
  async #waitUntilIdle<T>(
    look: () => T,
    concerns: TaskFilter,
    ready: () => Promise<void> | void = () => this.#gate?.opened,
  ): Promise<T> {
    for (;;) {
      const held = ready();
      if (held) await held;
      const isAll = this.#runDue();
      const works = this.#inFlight.promisesOf(concerns);
      if (isAll && works.length === 0) return look();
      if (!isAll) await breathe();
      await Promise.all(works);
    }
  }

  /** After the answer to the request that scheduled it: a job that is due at once still starts behind its 202. */
  #scheduleRun(): void {
    if (this.#stopped) return;
    clearImmediate(this.#wake);
    this.#wake = setImmediate(() => this.#runDue());
  }

  #armTimer(): void {
    clearTimeout(this.#timer);
    this.#timerDueAt = Number.POSITIVE_INFINITY;
    if (this.#clock.isFrozen || this.#stopped || this.#gate) return;
    const row = findFirstTask(this.#store);
    if (!row) return;
    this.#timerDueAt = row.dueAt;
    const wait = Math.min(Math.max(row.dueAt - this.#clock.now(), 0), MAX_TIMER_MS);
    this.#timer = setTimeout(() => this.#runDue(), wait);
  }
}
