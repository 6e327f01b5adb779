import { setImmediate as yieldTurn } from "node:timers/promises";
import { parseDuration } from "../../../src/domain/duration.ts";
import { rejectedError, usageError } from "../../../src/domain/errors.ts";
import { quoteValue } from "../../../src/domain/json.ts";
import type { AdvanceResult } from "../../api/sandbox.ts";
import type { ScheduledTask } from "../../store/agenda.ts";
import type { EngineCore } from "../core.ts";
import { Semaphore } from "../semaphore.ts";
import { type Clock, formatTime, parseTime, requireClockRange } from "./clock.ts";
import { IdleWaiter } from "./idle.ts";
import { EFFECT_SEQ, type Scheduler, TASKS_PER_TURN, toAgendaItem } from "./scheduler.ts";

/** Ends `advance("idle")` where each task schedules another one. */
const MAX_TASKS_PER_ADVANCE = 1_000_000;

/** Moves the clock, one move at a time, and stops it for work that must see no change. */
export class ClockMover {
  readonly #core: EngineCore;
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #maxTasks: number;
  readonly #mutex = new Semaphore(1);
  #currentMove: Promise<unknown> = Promise.resolve();
  #epoch = 0;

  constructor(core: EngineCore, maxTasks = MAX_TASKS_PER_ADVANCE) {
    this.#core = core;
    this.#clock = core.clock;
    this.#scheduler = core.scheduler;
    this.#maxTasks = maxTasks;
  }

  /** Changes when the whole state is replaced: work that began in another epoch is about rows that no longer exist. */
  get epoch(): number {
    return this.#epoch;
  }

  /** @param to as in `SandboxClock.advance`. A value of another type is refused like an invalid text. */
  advance(to: string): Promise<AdvanceResult> {
    return this.#move(async (from, waiter) => {
      const target = this.#parseTarget(String(to), from);
      await this.#runUntil(target, waiter);
      if (target !== Number.POSITIVE_INFINITY) this.#clock.moveTo(target);
    });
  }

  /** Moves the clock at once. Tasks that fall due by that run afterwards, late, as on a machine that has slept. */
  jump(to: string): Promise<AdvanceResult> {
    return this.#move(async (_from, waiter) => {
      const text = String(to);
      const time = parseTime(text);
      if (time === null) throw invalidTime(text);
      this.#clock.moveTo(requireFuture(time, text, this.#clock.now()));
      await this.#runDue(this.#epoch, waiter);
    });
  }

  freeze(): void {
    this.#clock.freeze();
    this.#scheduler.armTimer();
  }

  unfreeze(): void {
    this.#clock.unfreeze();
    this.#scheduler.armTimer();
  }

  /**
   * Runs `work` while no task starts and none runs inside the sandbox. Requests to receivers continue: `work` gets their
   * tasks, which are no longer on the agenda. A move in progress ends first.
   */
  pause<T>(work: (outgoing: readonly ScheduledTask[]) => Promise<T>): Promise<T> {
    return this.#mutex.run(() =>
      this.#scheduler.runHeld(async () => {
        await this.#scheduler.whenDone((task) => !this.#scheduler.isOutgoing(task));
        return work(this.#scheduler.inFlightTasks());
      }),
    );
  }

  /** Runs `work`, which replaces the whole state, while no task runs. `abort` ends those in flight; a move is abandoned. */
  interrupt<T>(abort: () => Promise<void>, work: () => Promise<T>): Promise<T> {
    return this.#scheduler.runHeld(async () => {
      this.#epoch += 1;
      await abort();
      await this.#currentMove;
      await this.#scheduler.whenDone(() => true);
      return work();
    });
  }

  #move(change: (from: number, waiter: IdleWaiter) => Promise<void>): Promise<AdvanceResult> {
    const epoch = this.#epoch;
    return this.#mutex.run(async () => {
      while (this.#scheduler.hold) await this.#scheduler.hold;
      const move = this.#runMove(epoch, change);
      this.#currentMove = move.catch(() => undefined);
      return move;
    });
  }

  async #runMove(
    epoch: number,
    change: (from: number, waiter: IdleWaiter) => Promise<void>,
  ): Promise<AdvanceResult> {
    const waiter = new IdleWaiter(this.#core);
    const ran: ScheduledTask[] = [];
    let stopListening = () => {};
    try {
      await this.#runDue(epoch, waiter);
      const from = this.#clock.now();
      stopListening = this.#scheduler.onStart((task) => {
        if (task.dueAt > from || task.seq === EFFECT_SEQ) ran.push(task);
      });
      await change(from, waiter);
      return { from: formatTime(from), to: formatTime(this.#clock.now()), ran: ran.map(toAgendaItem) };
    } finally {
      waiter.stop();
      stopListening();
      this.#scheduler.armTimer();
    }
  }

  /** Runs what is due. An interruption ends it at once, so that the interruption does not wait for this move. */
  #runDue(epoch: number, waiter: IdleWaiter): Promise<void> {
    return this.#scheduler.drain(
      () => undefined,
      waiter.includes,
      () => this.#requireEpoch(epoch),
    );
  }

  async #runUntil(target: number, waiter: IdleWaiter): Promise<void> {
    const epoch = this.#epoch;
    for (let count = 0; !this.#scheduler.isStopped; count += 1) {
      this.#requireEpoch(epoch);
      const task = this.#scheduler.nextTask(waiter.maxSeq);
      if (!task || task.dueAt > target) return;
      if (count === this.#maxTasks) throw advanceEndless(count, task.kind);
      this.#clock.moveTo(task.dueAt);
      this.#scheduler.start(task);
      await this.#scheduler.whenDone(waiter.includes);
      if (count % TASKS_PER_TURN === TASKS_PER_TURN - 1) await yieldTurn();
    }
  }

  #requireEpoch(epoch: number): undefined {
    if (this.#epoch === epoch) return;
    throw rejectedError("clock_interrupted", "the sandbox was reset while its clock was advanced", {
      hint: "advance it again",
    });
  }

  #parseTarget(to: string, now: number): number {
    if (to === "idle") return Number.POSITIVE_INFINITY;
    if (to === "next") return this.#scheduler.nextTask()?.dueAt ?? now;
    const duration = parseDuration(to);
    const target = duration === null ? parseTime(to) : now + duration;
    if (target !== null) return requireFuture(target, to, now);
    throw usageError("advance_invalid", `invalid target for the clock: ${quoteValue(to)}`, {
      hint: "give a duration (3d, 1h30m, 500ms), an RFC 3339 time, next or idle",
    });
  }
}

function requireFuture(target: number, to: string, now: number): number {
  if (target < now) {
    throw usageError("clock_backwards", `the clock is already past ${to}`, {
      hint: "the clock only moves forward; reset the sandbox or load a snapshot to go back",
    });
  }
  requireClockRange(target);
  return target;
}

const invalidTime = (to: string) =>
  usageError("time_invalid", `invalid time for the clock: ${quoteValue(to)}`, {
    hint: "give an RFC 3339 time, for example 2026-11-20T00:00:00Z",
  });

const advanceEndless = (count: number, kind: string) =>
  rejectedError("advance_endless", `the agenda does not end: ${count} tasks ran, the next one is ${kind}`, {
    hint: "the clock stands at the last task that ran; advance it again to continue",
  });
