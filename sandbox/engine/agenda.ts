import { clearImmediate, clearTimeout, setImmediate, setTimeout } from "node:timers";
import { setImmediate as breathe } from "node:timers/promises";
import {
  type ScheduledTask,
  addTask,
  listTasks,
  findFirstTask,
  findFirstTaskUpTo,
  readLastTaskSeq,
  type NewScheduledTask,
  removeTask,
  removeTasksFor,
  takeDueTasks,
} from "../store/agenda.ts";
import type { Store } from "../store/open.ts";
import type { Clock } from "./clock.ts";
import { endless, exactTimeAhead, interrupted, timeAhead } from "./clock-target.ts";
import { Hold } from "./hold.ts";
import { type Concern, Running } from "./running.ts";
import { Slots } from "./slots.ts";
import { Waiting } from "./waiting.ts";

/** What follows a row for the same subject. */
export interface NextRow {
  readonly dueAt: number;
  readonly kind: string;
}

/** What happens when a row of this kind falls due; a promise keeps the clock from moving on until it settles. */
export type AgendaAction = (subject: string) => NextRow | null | Promise<NextRow | null>;

/** What ran while the clock was advanced. Times in milliseconds. */
export interface Advance {
  readonly from: number;
  readonly to: number;
  readonly ran: readonly ScheduledTask[];
}

/** An advance under way: rows that were due before it are no part of it. */
interface Ledger {
  readonly from: number;
  readonly ran: ScheduledTask[];
}

/** A row that always schedules another one must not keep `advance("idle")` busy for ever. */
const MAX_ROWS_PER_ADVANCE = 1_000_000;

/** Between two looks at the network: some milliseconds. */
const ROWS_AT_A_TIME = 250;

/** Milliseconds of wall time that whoever looks waits for what has left the sandbox. */
const LONGEST_ABSENCE = 1_000;

/** setTimeout's ceiling (2³¹ − 1 ms); a later row arms it again. */
const LONGEST_TIMER = 2_147_483_647;

/**
 * Everything that waits is a row with a due time (product.md, promise 5). Rows run in the order (due time, creation);
 * a row that follows another one takes its place, so that the order does not tell how long the work between them took.
 * There is one timer, for the next row, and none with a frozen clock.
 */
export class Agenda {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #mostRows: number;
  readonly #actions = new Map<string, AgendaAction>();
  readonly #running = new Running();
  readonly #leaving = new Set<string>();
  readonly #ledgers = new Set<Ledger>();
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;
  /** The due time that the timer is for. */
  #armedFor = Number.POSITIVE_INFINITY;
  #wake: NodeJS.Immediate | undefined;
  /** The clock is moved, or stands still for somebody, one at a time. */
  readonly #turns = new Slots(1);
  /** The move of the clock that has begun last. */
  #moving: Promise<unknown> = Promise.resolve();
  /** While something must not change under somebody's hands, nothing begins. */
  #hold: Hold | null = null;
  /** An advance that began in another epoch is over. */
  #epoch = 0;
  #stopped = false;

  constructor(
    store: Store,
    clock: Clock,
    onError: (error: unknown) => void,
    { mostRows = MAX_ROWS_PER_ADVANCE }: { readonly mostRows?: number } = {},
  ) {
    this.#mostRows = mostRows;
    this.#store = store;
    this.#clock = clock;
    this.#onError = onError;
  }

  /** Names what a kind of row does. One that `leaves` the sandbox waits for somebody who may ask it meanwhile. */
  when(kind: string, action: AgendaAction, { leaves = false }: { readonly leaves?: boolean } = {}): void {
    this.#actions.set(kind, action);
    if (leaves) this.#leaving.add(kind);
  }

  /** Another one as soon as everything is changed: what was begun before is about rows that are gone. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Whether something is to be done for rows of this kind. */
  knows(kind: string): boolean {
    return this.#actions.has(kind);
  }

  schedule(dueAt: number, kind: string, subject: string): void {
    this.#add({ seq: null, dueAt, kind, subject });
  }

  /** Takes back what was scheduled and has not begun. */
  cancel(kind: string, subject: string): void {
    removeTasksFor(this.#store, kind, subject);
    this.#arm();
  }

  rows(): ScheduledTask[] {
    return listTasks(this.#store);
  }

  /** Resolves when all that is due has run and settled. */
  idle(): Promise<void> {
    return this.#waitingFor((waiting) =>
      this.#whenIdle(
        () => undefined,
        (row) => waiting.isFor(row),
      ),
    );
  }

  /** The same for what is due of a kind for a subject. */
  ended(kind: string, subject: string): Promise<void> {
    return this.#whenIdle(
      () => undefined,
      (row) => row.kind === kind && row.subject === subject,
    );
  }

  /**
   * What `look` sees. With a frozen clock it looks when nothing is due any more for `subject`: how long work takes must
   * not show (product.md, promise 5). With a running clock it looks at once.
   */
  async settled<T>(look: () => T, subject: string): Promise<T> {
    return this.#clock.frozen ? this.#whenIdle(look, (row) => row.subject === subject) : look();
  }

  /** The same for all that is due. What leaves the sandbox is waited for a second of wall time at the most. */
  async allSettled<T>(look: () => T): Promise<T> {
    if (!this.#clock.frozen) return look();
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LONGEST_ABSENCE);
    });
    await Promise.race([this.idle(), patience]);
    clearTimeout(timer);
    return this.#waitingFor((waiting) =>
      this.#whenIdle(look, (row) => !this.#leaving.has(row.kind) && waiting.isFor(row)),
    );
  }

  /** `to` as in `SandboxClock.advance`. One move of the clock at a time; the next one waits. */
  advance(to: string): Promise<Advance> {
    return this.#move(async (from, waiting) => {
      const target = this.#target(to, from);
      await this.#runUntil(target, waiting);
      if (target !== Number.POSITIVE_INFINITY) this.#clock.moveTo(target);
    });
  }

  /** Moves the clock at once: what falls due by that runs afterwards, late, as after the sleep of a machine. */
  jump(to: string): Promise<Advance> {
    return this.#move(async (_from, waiting) => {
      const time = exactTimeAhead(to, this.#clock.now());
      this.#clock.moveTo(time);
      await this.#rest(this.#epoch, waiting);
    });
  }

  freeze(): void {
    this.#clock.freeze();
    this.#arm();
  }

  /** Lets the clock run from where it stands. */
  unfreeze(): void {
    this.#clock.run();
    this.#arm();
  }

  /** Tells an advance under way what a row has brought about. */
  note(kind: string, subject: string): void {
    const row = { seq: 0, dueAt: this.#clock.now(), kind, subject };
    for (const { ran } of this.#ledgers) ran.push(row);
  }

  /**
   * Does `work` while nothing begins and what runs inside the sandbox has settled. What has left it goes on: its rows are
   * given to `work`, for they are not among those that wait. It comes after an advance that is under way.
   */
  pause<T>(work: (leaving: readonly ScheduledTask[]) => Promise<T>): Promise<T> {
    return this.#turns.use(() =>
      this.#holding(async () => {
        await this.#running.settled((row) => !this.#leaving.has(row.kind));
        return work(this.#running.rows());
      }),
    );
  }

  /**
   * Does `work` while nothing runs at all, for it changes everything: `abandon` makes what is under way end. An advance
   * under way is given up.
   */
  interrupt<T>(abandon: () => Promise<void>, work: () => Promise<T>): Promise<T> {
    return this.#holding(async () => {
      this.#epoch += 1;
      await abandon();
      await this.#moving;
      await this.#running.settled(() => true);
      return work();
    });
  }

  /** Nothing runs from here on; resolves when what is running has settled. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearImmediate(this.#wake);
    await this.idle();
  }

  #move(work: (from: number, waiting: Waiting) => Promise<void>): Promise<Advance> {
    const epoch = this.#epoch;
    return this.#turns.use(async () => {
      while (this.#hold) await this.#hold.released;
      const moved = this.#waitingFor((waiting) => this.#moved(epoch, waiting, work));
      this.#moving = moved.then(
        () => undefined,
        () => undefined,
      );
      return moved;
    });
  }

  async #moved(
    epoch: number,
    waiting: Waiting,
    work: (from: number, waiting: Waiting) => Promise<void>,
  ): Promise<Advance> {
    await this.#rest(epoch, waiting);
    const from = this.#clock.now();
    const ledger: Ledger = { from, ran: [] };
    this.#ledgers.add(ledger);
    try {
      await work(from, waiting);
      return { ...ledger, to: this.#clock.now() };
    } finally {
      this.#arm();
      this.#ledgers.delete(ledger);
    }
  }

  /** Lets run what is due, for a move of the clock: it does not wait for whoever interrupts it. */
  #rest(epoch: number, waiting: Waiting): Promise<void> {
    return this.#whenIdle(
      () => undefined,
      (row) => waiting.isFor(row),
      () => {
        if (this.#epoch !== epoch) throw interrupted();
      },
    );
  }

  async #runUntil(target: number, waiting: Waiting): Promise<void> {
    const epoch = this.#epoch;
    for (let count = 0; !this.#stopped; count += 1) {
      if (this.#epoch !== epoch) throw interrupted();
      const row = this.#dueRow(target, waiting);
      if (!row) return;
      if (count === this.#mostRows) throw endless(count, row.kind);
      this.#clock.moveTo(row.dueAt);
      removeTask(this.#store, row.seq);
      this.#run(row);
      await this.#running.settled((other) => waiting.isFor(other));
      if (count % ROWS_AT_A_TIME === ROWS_AT_A_TIME - 1) await breathe();
    }
  }

  /** Nothing begins until `work` has ended; those who wait for what is due wait that long. */
  async #holding<T>(work: () => Promise<T>): Promise<T> {
    while (this.#hold) await this.#hold.released;
    const hold = new Hold();
    this.#hold = hold;
    try {
      return await work();
    } finally {
      this.#hold = null;
      hold.release();
      this.#runDue();
    }
  }

  #target(to: string, now: number): number {
    if (to === "idle") return Number.POSITIVE_INFINITY;
    return to === "next" ? (findFirstTask(this.#store)?.dueAt ?? now) : timeAhead(to, now);
  }

  #dueRow(by: number, waiting: Waiting): ScheduledTask | undefined {
    const row = waiting.isCrowded
      ? findFirstTaskUpTo(this.#store, waiting.lastSeq)
      : findFirstTask(this.#store);
    return row && row.dueAt <= by ? row : undefined;
  }

  /** Begins what is due; false where more is due than can begin in one turn. */
  #runDue(): boolean {
    while (!this.#stopped && !this.#hold) {
      const rows = takeDueTasks(this.#store, this.#clock.now(), ROWS_AT_A_TIME);
      if (rows.length === 0) break;
      for (const row of rows) this.#run(row);
      if (rows.length < ROWS_AT_A_TIME) continue;
      this.#wakeSoon();
      return false;
    }
    this.#arm();
    return true;
  }

  async #waitingFor<T>(wait: (waiting: Waiting) => Promise<T>): Promise<T> {
    const waiting = new Waiting(readLastTaskSeq(this.#store));
    this.#waiting.add(waiting);
    try {
      return await wait(waiting);
    } finally {
      this.#waiting.delete(waiting);
    }
  }

  #run(row: ScheduledTask): void {
    for (const waiting of this.#waiting) waiting.see(row);
    for (const { from, ran } of this.#ledgers) if (row.dueAt > from) ran.push(row);
    this.#running.add(row, this.#perform(row).catch(this.#onError));
  }

  async #perform({ seq, kind, subject }: ScheduledTask): Promise<void> {
    const action = this.#actions.get(kind);
    if (!action) throw new Error(`nothing is known to do for an agenda row of kind ${kind}`);
    const next = await action(subject);
    if (next) this.#add({ ...next, seq, subject });
  }

  #add(row: NewScheduledTask): void {
    addTask(this.#store, row);
    if (row.dueAt <= this.#clock.now()) this.#wakeSoon();
    else if (row.dueAt < this.#armedFor) this.#arm();
  }

  /**
   * Lets run what is due, and looks in the same turn in which it finds nothing left to wait for.
   *
   * @param ready is asked before each round; usually it waits for whoever holds everything
   */
  async #whenIdle<T>(
    look: () => T,
    concerns: Concern,
    ready: () => Promise<void> | void = () => this.#hold?.released,
  ): Promise<T> {
    for (;;) {
      const held = ready();
      if (held) await held;
      const isAll = this.#runDue();
      const works = this.#running.worksOf(concerns);
      if (isAll && works.length === 0) return look();
      if (!isAll) await breathe();
      await Promise.all(works);
    }
  }

  /** After the answer to the request that scheduled it: a job that is due at once still starts behind its 202. */
  #wakeSoon(): void {
    if (this.#stopped) return;
    clearImmediate(this.#wake);
    this.#wake = setImmediate(() => this.#runDue());
  }

  #arm(): void {
    clearTimeout(this.#timer);
    this.#armedFor = Number.POSITIVE_INFINITY;
    if (this.#clock.frozen || this.#stopped || this.#hold) return;
    const row = findFirstTask(this.#store);
    if (!row) return;
    this.#armedFor = row.dueAt;
    const wait = Math.min(Math.max(row.dueAt - this.#clock.now(), 0), LONGEST_TIMER);
    this.#timer = setTimeout(() => this.#runDue(), wait);
  }
}
