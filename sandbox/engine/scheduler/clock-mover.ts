import { setImmediate as yieldTurn } from "node:timers/promises";
import { parseDuration } from "../../../src/domain/duration.ts";
import { rejectedError, usageError } from "../../../src/domain/errors.ts";
import { quoteValue } from "../../../src/domain/json.ts";
import { createLimit } from "../../../src/domain/limit.ts";
import type { AdvanceResult } from "../../api/sandbox.ts";
import type { ScheduledTask } from "../../store/agenda.ts";
import { sandboxClosedError } from "../../store/store.ts";
import { formatTime, parseTime, requireClockRange } from "./clock.ts";
import { createWaiter, type Waiter } from "./quiescence.ts";
import { type SchedulerContext, TASKS_PER_TURN, toAgendaItem } from "./scheduler.ts";

/** Ends `advance("idle")` where each task schedules another one. */
const MAX_TASKS_PER_ADVANCE = 1_000_000;

/** Moves the clock, one move at a time, and stops it for work that must see no change. */
export class ClockMover {
  readonly #context: SchedulerContext;
  readonly #maxTasks: number;
  readonly #mutex = createLimit(1);
  #currentMove: Promise<unknown> = Promise.resolve();
  #resetCount = 0;

  constructor(context: SchedulerContext, maxTasks = MAX_TASKS_PER_ADVANCE) {
    this.#context = context;
    this.#maxTasks = maxTasks;
  }

  /** How often the whole state was replaced: work that began before is about rows that no longer exist. */
  get resetCount(): number {
    return this.#resetCount;
  }

  /** @param to as in `SandboxClock.advance`. A value of another type is refused like an invalid text. */
  advance(to: string): Promise<AdvanceResult> {
    const { scheduler } = this.#context;
    const { resetCount } = this;
    /** Ends the move at once after a reset, which waits for it. */
    const check = () => {
      if (this.#resetCount !== resetCount) throw moveInterrupted();
      if (scheduler.isStopped) throw sandboxClosedError();
    };
    return this.#mutex(async () => {
      while (scheduler.suspension) await scheduler.suspension;
      const moving = this.#move(to, check);
      this.#currentMove = moving.catch(() => undefined);
      return moving;
    });
  }

  freeze(): void {
    this.#context.clock.freeze();
    this.#context.scheduler.rescheduleTimer();
  }

  unfreeze(): void {
    this.#context.clock.unfreeze();
    this.#context.scheduler.rescheduleTimer();
  }

  /**
   * Runs `work` while no task starts and none runs inside the sandbox. Requests to receivers continue: `work` gets their
   * tasks, which are no longer on the agenda. A move in progress continues after it: it may take minutes, in which a receiver
   * does not respond, and what was acknowledged meanwhile must be saved.
   */
  suspend<T>(work: (outgoing: readonly ScheduledTask[]) => Promise<T>): Promise<T> {
    const { scheduler } = this.#context;
    return scheduler.runSuspended(async () => {
      await scheduler.whenDone((task) => !scheduler.isOutgoing(task));
      return work(scheduler.inFlightTasks());
    });
  }

  /** Runs `work`, which replaces the whole state, while no task runs. `abort` ends those in flight; a move is abandoned. */
  replaceState(abort: () => Promise<void>, work: () => Promise<void>): Promise<void> {
    const { scheduler } = this.#context;
    return scheduler.runSuspended(async () => {
      this.#resetCount += 1;
      await abort();
      await this.#currentMove;
      await scheduler.whenDone(() => true);
      return work();
    });
  }

  async #runUntil(target: number, waiter: Waiter, check: () => void): Promise<void> {
    const { clock, scheduler } = this.#context;
    for (let count = 0; ; ) {
      check();
      if (scheduler.suspension) {
        await scheduler.suspension;
        continue;
      }
      const task = scheduler.nextTask(waiter.maxSeq);
      if (!task || task.dueAt > target) return;
      if (count === this.#maxTasks) throw advanceEndless(count, task.kind);
      clock.moveTo(task.dueAt);
      scheduler.start(task);
      await scheduler.whenDone(waiter.includes);
      count += 1;
      if (count % TASKS_PER_TURN === 0) await yieldTurn();
    }
  }

  /** @param check its error ends the move */
  async #move(to: string, check: () => void): Promise<AdvanceResult> {
    const { clock, scheduler } = this.#context;
    const waiter = createWaiter(this.#context);
    const ran: ScheduledTask[] = [];
    let stopListening = () => {};
    try {
      const from = await scheduler.drain(() => clock.now(), waiter.includes, check);
      stopListening = scheduler.onStart((task) => {
        if (task.dueAt > from) ran.push(task);
      });
      const target = this.#parseTarget(to, from);
      await this.#runUntil(target, waiter, check);
      if (target !== Number.POSITIVE_INFINITY) clock.moveTo(target);
      return { from: formatTime(from), to: formatTime(clock.now()), ran: ran.map(toAgendaItem) };
    } finally {
      waiter.stop();
      stopListening();
      scheduler.rescheduleTimer();
    }
  }

  #parseTarget(given: string, now: number): number {
    const to = String(given);
    if (to === "idle") return Number.POSITIVE_INFINITY;
    if (to === "next") return this.#context.scheduler.nextTask()?.dueAt ?? now;
    const duration = parseDuration(to);
    const target = duration === null ? parseTime(to) : now + duration;
    if (target !== null) return requireFuture(target, to, now);
    throw usageError("option_invalid", `invalid target for the clock: ${quoteValue(to)}`, {
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

const moveInterrupted = () =>
  rejectedError("clock_interrupted", "the sandbox was reset while its clock was advanced", {
    hint: "advance it again",
  });

const advanceEndless = (count: number, kind: string) =>
  rejectedError("clock_interrupted", `the agenda does not end: ${count} tasks ran, the next one is ${kind}`, {
    hint: "the clock stands at the last task that ran; advance it again to continue",
  });
