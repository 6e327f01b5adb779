import { setImmediate as yieldTurn } from "node:timers/promises";
import { parseDuration } from "../../../src/domain/duration.ts";
import { rejectedError, usageError } from "../../../src/domain/errors.ts";
import { quoteValue } from "../../../src/domain/json.ts";
import type { AdvanceResult } from "../../api/sandbox.ts";
import type { ScheduledTask } from "../../store/agenda.ts";
import { sandboxClosedError } from "../../store/store.ts";
import { createSemaphore } from "../concurrency.ts";
import { formatTime, parseTime, requireClockRange } from "./clock.ts";
import { createIdleWaiter, type IdleWaiter } from "./idle.ts";
import { TASKS_PER_TURN, type Timekeeping, toAgendaItem } from "./scheduler.ts";

/** Ends `advance("idle")` where each task schedules another one. */
const MAX_TASKS_PER_ADVANCE = 1_000_000;

/** Moves the clock, one move at a time, and stops it for work that must see no change. */
export class ClockMover {
  readonly #time: Timekeeping;
  readonly #maxTasks: number;
  readonly #mutex = createSemaphore(1);
  #currentMove: Promise<unknown> = Promise.resolve();
  #resetCount = 0;

  constructor(time: Timekeeping, maxTasks = MAX_TASKS_PER_ADVANCE) {
    this.#time = time;
    this.#maxTasks = maxTasks;
  }

  /** How often the whole state was replaced: work that began before is about rows that no longer exist. */
  get resetCount(): number {
    return this.#resetCount;
  }

  /** @param to as in `SandboxClock.advance`. A value of another type is refused like an invalid text. */
  advance(to: string): Promise<AdvanceResult> {
    const begun = this.#resetCount;
    return this.#mutex.run(async () => {
      while (this.#time.scheduler.hold) await this.#time.scheduler.hold;
      const moving = this.#runMove(begun, to);
      this.#currentMove = moving.catch(() => undefined);
      return moving;
    });
  }

  freeze(): void {
    this.#time.clock.freeze();
    this.#time.scheduler.rescheduleTimer();
  }

  unfreeze(): void {
    this.#time.clock.unfreeze();
    this.#time.scheduler.rescheduleTimer();
  }

  /**
   * Runs `work` while no task starts and none runs inside the sandbox. Requests to receivers continue: `work` gets their
   * tasks, which are no longer on the agenda. A move in progress continues after it: it may take minutes, in which a receiver
   * does not respond, and what was acknowledged meanwhile must be saved.
   */
  pause<T>(work: (outgoing: readonly ScheduledTask[]) => Promise<T>): Promise<T> {
    const { scheduler } = this.#time;
    return scheduler.runHeld(async () => {
      await scheduler.whenDone((task) => !scheduler.isOutgoing(task));
      return work(scheduler.inFlightTasks());
    });
  }

  /** Runs `work`, which replaces the whole state, while no task runs. `abort` ends those in flight; a move is abandoned. */
  interrupt<T>(abort: () => Promise<void>, work: () => Promise<T>): Promise<T> {
    const { scheduler } = this.#time;
    return scheduler.runHeld(async () => {
      this.#resetCount += 1;
      await abort();
      await this.#currentMove;
      await scheduler.whenDone(() => true);
      return work();
    });
  }

  #requireNoReset(begun: number): void {
    if (this.#resetCount === begun) return;
    throw rejectedError("clock_interrupted", "the sandbox was reset while its clock was advanced", {
      hint: "advance it again",
    });
  }

  /** The pause to wait for. An interruption ends the move at once, so that it does not wait for the move. */
  #whenReady(begun: number): Promise<void> | null {
    this.#requireNoReset(begun);
    if (this.#time.scheduler.isStopped) throw sandboxClosedError();
    return this.#time.scheduler.hold;
  }

  async #runUntil(target: number, begun: number, waiter: IdleWaiter): Promise<void> {
    const { clock, scheduler } = this.#time;
    for (let count = 0; ; count += 1) {
      for (let ready = this.#whenReady(begun); ready; ready = this.#whenReady(begun)) await ready;
      const task = scheduler.nextTask(waiter.maxSeq);
      if (!task || task.dueAt > target) return;
      if (count === this.#maxTasks) throw advanceEndless(count, task.kind);
      clock.moveTo(task.dueAt);
      scheduler.start(task);
      await scheduler.whenDone(waiter.includes);
      if (count % TASKS_PER_TURN === TASKS_PER_TURN - 1) await yieldTurn();
    }
  }

  /** @param begun the number of resets when the move began */
  async #runMove(begun: number, to: string): Promise<AdvanceResult> {
    const { clock, scheduler } = this.#time;
    const waiter = createIdleWaiter(this.#time);
    const ran: ScheduledTask[] = [];
    let stopListening = () => {};
    try {
      await scheduler.drain(
        () => undefined,
        waiter.includes,
        () => this.#whenReady(begun),
      );
      const from = clock.now();
      stopListening = scheduler.onStart((task) => {
        if (task.dueAt > from) ran.push(task);
      });
      const target = this.#parseTarget(to, from);
      await this.#runUntil(target, begun, waiter);
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
    if (to === "next") return this.#time.scheduler.nextTask()?.dueAt ?? now;
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

const advanceEndless = (count: number, kind: string) =>
  rejectedError("clock_interrupted", `the agenda does not end: ${count} tasks ran, the next one is ${kind}`, {
    hint: "the clock stands at the last task that ran; advance it again to continue",
  });
