import { clearImmediate, clearTimeout, setImmediate, setTimeout } from "node:timers";
import { ClaimsError } from "../../src/domain/errors.ts";
import {
  type AgendaRow,
  addAgendaRow,
  allAgendaRows,
  firstAgendaRow,
  removeAgendaRow,
} from "../store/agenda.ts";
import type { Store } from "../store/open.ts";
import { type Clock, parseTime } from "./clock.ts";
import { parseDuration } from "./duration.ts";

/** What happens when a row of this kind falls due; a promise keeps the clock from moving on until it settles. */
export type AgendaAction = (subject: string) => void | Promise<void>;

/** What ran while the clock was advanced. Times in milliseconds. */
export interface Advance {
  readonly from: number;
  readonly to: number;
  readonly ran: readonly AgendaRow[];
}

/** A row that always schedules another one must not keep `advance("idle")` busy for ever. */
const MAX_ROWS_PER_ADVANCE = 100_000;

/** setTimeout's ceiling (2³¹ − 1 ms); a later row arms it again. */
const LONGEST_TIMER = 2_147_483_647;

/**
 * Everything that waits is a row with a due time (product.md, promise 5). Rows run in the order (due time, creation);
 * there is one timer, for the next row, and none with a frozen clock.
 */
export class Agenda {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #actions = new Map<string, AgendaAction>();
  readonly #running = new Set<Promise<void>>();
  readonly #ledgers = new Set<AgendaRow[]>();
  #timer: NodeJS.Timeout | undefined;
  #wake: NodeJS.Immediate | undefined;
  #lastAdvance: Promise<unknown> = Promise.resolve();
  #stopped = false;

  constructor(store: Store, clock: Clock, onError: (error: unknown) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onError = onError;
  }

  /** Names what a kind of row does. */
  when(kind: string, action: AgendaAction): void {
    this.#actions.set(kind, action);
  }

  schedule(dueAt: number, kind: string, subject: string): void {
    addAgendaRow(this.#store, { dueAt, kind, subject });
    if (dueAt <= this.#clock.now()) this.#wakeSoon();
    else this.#arm();
  }

  rows(): AgendaRow[] {
    return allAgendaRows(this.#store);
  }

  /** Resolves when all that is due has run and settled. */
  async idle(): Promise<void> {
    do {
      this.#runDue();
      await this.#settled();
    } while (!this.#stopped && this.#dueRow(this.#clock.now()));
  }

  /** `to` as in `SandboxClock.advance`. One advance at a time; the next one waits. */
  advance(to: string): Promise<Advance> {
    const result = this.#lastAdvance.then(() => this.#advance(to));
    this.#lastAdvance = result.catch(() => undefined);
    return result;
  }

  /** Nothing runs from here on; resolves when what is running has settled. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearImmediate(this.#wake);
    await this.#settled();
  }

  async #advance(to: string): Promise<Advance> {
    const ran: AgendaRow[] = [];
    this.#ledgers.add(ran);
    try {
      await this.idle();
      const from = this.#clock.now();
      const target = this.#target(to, from);
      await this.#runUntil(target);
      if (target !== Number.POSITIVE_INFINITY) this.#clock.moveTo(target);
      this.#arm();
      return { from, to: this.#clock.now(), ran };
    } finally {
      this.#ledgers.delete(ran);
    }
  }

  async #runUntil(target: number): Promise<void> {
    for (let count = 0; !this.#stopped; count += 1) {
      const row = this.#dueRow(target);
      if (!row) return;
      if (count === MAX_ROWS_PER_ADVANCE) throw endless(row.kind);
      this.#clock.moveTo(row.dueAt);
      this.#run(row);
      await this.#settled();
    }
  }

  #target(to: string, now: number): number {
    if (to === "idle") return Number.POSITIVE_INFINITY;
    if (to === "next") return firstAgendaRow(this.#store)?.dueAt ?? now;
    const duration = parseDuration(to);
    const target = duration === null ? parseTime(to) : now + duration;
    if (target === null || target > LAST_TIME) throw unreadable(to);
    if (target < now) throw backwards(to);
    return target;
  }

  #dueRow(by: number): AgendaRow | undefined {
    const row = firstAgendaRow(this.#store);
    return row && row.dueAt <= by ? row : undefined;
  }

  #runDue(): void {
    while (!this.#stopped) {
      const row = this.#dueRow(this.#clock.now());
      if (!row) break;
      this.#run(row);
    }
    this.#arm();
  }

  #run(row: AgendaRow): void {
    removeAgendaRow(this.#store, row.seq);
    for (const ledger of this.#ledgers) ledger.push(row);
    const work = this.#perform(row).catch(this.#onError);
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }

  async #perform({ kind, subject }: AgendaRow): Promise<void> {
    const action = this.#actions.get(kind);
    if (!action) throw new Error(`nothing is known to do for an agenda row of kind ${kind}`);
    await action(subject);
  }

  async #settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** After the answer to the request that scheduled it: a job that is due at once still starts behind its 202. */
  #wakeSoon(): void {
    if (this.#stopped) return;
    clearImmediate(this.#wake);
    this.#wake = setImmediate(() => this.#runDue());
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#clock.frozen || this.#stopped) return;
    const row = firstAgendaRow(this.#store);
    if (!row) return;
    const wait = Math.min(Math.max(row.dueAt - this.#clock.now(), 0), LONGEST_TIMER);
    this.#timer = setTimeout(() => this.#runDue(), wait);
  }
}

/** 9999-12-31T23:59:59.999Z, the last time that RFC 3339 can write. */
const LAST_TIME = 253_402_300_799_999;

const unreadable = (to: string) =>
  new ClaimsError("usage", "advance_unreadable", `The clock cannot be advanced to ${JSON.stringify(to)}`, {
    hint: "Give a duration (3d, 1h30m, 500ms), an RFC 3339 time, next or idle.",
  });

const backwards = (to: string) =>
  new ClaimsError("usage", "clock_backwards", `The clock is already past ${to}`, {
    hint: "The clock only moves forward; start another sandbox for an earlier time.",
  });

const endless = (kind: string) =>
  new Error(`the agenda does not come to an end: ${MAX_ROWS_PER_ADVANCE} rows ran, the last one was ${kind}`);
