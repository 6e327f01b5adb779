import { setImmediate as yieldTurn } from "node:timers/promises";
import { parseDuration } from "../../../src/domain/duration.ts";
import { rejectedError, usageError } from "../../../src/domain/errors.ts";
import { quoteValue } from "../../../src/domain/json.ts";
import type { AdvanceResult } from "../../api/sandbox.ts";
import type { ScheduledTask } from "../../store/agenda.ts";
import { sandboxClosedError } from "../../store/open.ts";
import { createSemaphore } from "../concurrency.ts";
import type { EngineCore } from "../core.ts";
import { formatTime, parseTime, requireClockRange, timeInvalid } from "./clock.ts";
import { createIdleWaiter, type IdleWaiter } from "./idle.ts";
import { EFFECT_SEQ, TASKS_PER_TURN, toAgendaItem } from "./scheduler.ts";

/** Ends `advance("idle")` where each task schedules another one. */
const MAX_TASKS_PER_ADVANCE = 1_000_000;

/** Moves the clock, one move at a time, and stops it for work that must see no change. */
export function createClockMover(core: EngineCore, maxTasks = MAX_TASKS_PER_ADVANCE) {
  const { clock, scheduler } = core;
  const mutex = createSemaphore(1);
  let currentMove: Promise<unknown> = Promise.resolve();
  let epoch = 0;

  const requireEpoch = (expected: number): undefined => {
    if (epoch === expected) return;
    throw rejectedError("clock_interrupted", "the sandbox was reset while its clock was advanced", {
      hint: "advance it again",
    });
  };

  /** The pause to wait for. An interruption ends the move at once, so that it does not wait for the move. */
  const whenReady = (begun: number): Promise<void> | null => {
    requireEpoch(begun);
    if (scheduler.isStopped) throw sandboxClosedError();
    return scheduler.hold;
  };

  /** Runs what is due. */
  const runDue = (begun: number, waiter: IdleWaiter): Promise<void> =>
    scheduler.drain(
      () => undefined,
      waiter.includes,
      () => whenReady(begun),
    );

  const runUntil = async (target: number, begun: number, waiter: IdleWaiter): Promise<void> => {
    for (let count = 0; ; count += 1) {
      for (let ready = whenReady(begun); ready; ready = whenReady(begun)) await ready;
      const task = scheduler.nextTask(waiter.maxSeq);
      if (!task || task.dueAt > target) return;
      if (count === maxTasks) throw advanceEndless(count, task.kind);
      clock.moveTo(task.dueAt);
      scheduler.start(task);
      await scheduler.whenDone(waiter.includes);
      if (count % TASKS_PER_TURN === TASKS_PER_TURN - 1) await yieldTurn();
    }
  };

  /** @param begun the epoch in which the move began */
  type Change = (from: number, begun: number, waiter: IdleWaiter) => Promise<void>;

  const runMove = async (begun: number, change: Change): Promise<AdvanceResult> => {
    const waiter = createIdleWaiter(core);
    const ran: ScheduledTask[] = [];
    let stopListening = () => {};
    try {
      await runDue(begun, waiter);
      const from = clock.now();
      stopListening = scheduler.onStart((task) => {
        if (task.dueAt > from || task.seq === EFFECT_SEQ) ran.push(task);
      });
      await change(from, begun, waiter);
      return { from: formatTime(from), to: formatTime(clock.now()), ran: ran.map(toAgendaItem) };
    } finally {
      waiter.stop();
      stopListening();
      scheduler.armTimer();
    }
  };

  const move = (change: Change): Promise<AdvanceResult> => {
    const begun = epoch;
    return mutex.run(async () => {
      while (scheduler.hold) await scheduler.hold;
      const moving = runMove(begun, change);
      currentMove = moving.catch(() => undefined);
      return moving;
    });
  };

  const parseTarget = (to: string, now: number): number => {
    if (to === "idle") return Number.POSITIVE_INFINITY;
    if (to === "next") return scheduler.nextTask()?.dueAt ?? now;
    const duration = parseDuration(to);
    const target = duration === null ? parseTime(to) : now + duration;
    if (target !== null) return requireFuture(target, to, now);
    throw usageError("option_invalid", `invalid target for the clock: ${quoteValue(to)}`, {
      hint: "give a duration (3d, 1h30m, 500ms), an RFC 3339 time, next or idle",
    });
  };

  return {
    /** Changes when the whole state is replaced: work that began in another epoch is about rows that no longer exist. */
    get epoch(): number {
      return epoch;
    },

    /** @param to as in `SandboxClock.advance`. A value of another type is refused like an invalid text. */
    advance: (to: string): Promise<AdvanceResult> =>
      move(async (from, begun, waiter) => {
        if (typeof to === "number")
          throw usageError("option_invalid", `the clock takes text, not ${String(to)}`, {
            hint: `write advance("${String(to)}ms")`,
          });
        const target = parseTarget(String(to), from);
        await runUntil(target, begun, waiter);
        if (target !== Number.POSITIVE_INFINITY) clock.moveTo(target);
      }),

    /** Moves the clock at once. Tasks that fall due by that run afterwards, late, as on a machine that has slept. */
    jump: (to: string): Promise<AdvanceResult> =>
      move(async (_from, begun, waiter) => {
        const text = String(to);
        const time = parseTime(text);
        if (time === null) throw timeInvalid(quoteValue(text));
        clock.moveTo(requireFuture(time, text, clock.now()));
        await runDue(begun, waiter);
      }),

    freeze(): void {
      clock.freeze();
      scheduler.armTimer();
    },

    unfreeze(): void {
      clock.unfreeze();
      scheduler.armTimer();
    },

    /**
     * Runs `work` while no task starts and none runs inside the sandbox. Requests to receivers continue: `work` gets their
     * tasks, which are no longer on the agenda. A move in progress continues after it: it may take minutes, in which a receiver
     * does not respond, and what was acknowledged meanwhile must be saved.
     */
    pause: <T>(work: (outgoing: readonly ScheduledTask[]) => Promise<T>): Promise<T> =>
      scheduler.runHeld(async () => {
        await scheduler.whenDone((task) => !scheduler.isOutgoing(task));
        return work(scheduler.inFlightTasks());
      }),

    /** Runs `work`, which replaces the whole state, while no task runs. `abort` ends those in flight; a move is abandoned. */
    interrupt: <T>(abort: () => Promise<void>, work: () => Promise<T>): Promise<T> =>
      scheduler.runHeld(async () => {
        epoch += 1;
        await abort();
        await currentMove;
        await scheduler.whenDone(() => true);
        return work();
      }),
  };
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
