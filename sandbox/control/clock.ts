import type { AdvanceResult } from "../api/sandbox.ts";
import type { Engine } from "../engine/engine.ts";
import { formatTime } from "../engine/scheduler/clock.ts";
import { readKnownFields } from "./body.ts";
import { controlProblem } from "./problems.ts";
import type { ControlCall, ControlRoute } from "./route.ts";

/** The clock and what waits on it. */
export const CLOCK_ROUTES: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/clock",
    summary: "the time, and whether it is frozen",
    handle: ({ engine }) => renderClock(engine),
  },
  {
    method: "POST",
    path: "/clock/advance",
    summary: '`{"to": "3d"}`, a time, `next` or `idle`: answers with what ran, when it has',
    handle: advanceClockBy,
  },
  {
    method: "POST",
    path: "/clock/set",
    summary: '`{"to": TIME}`: at once; what falls due by that runs late',
    handle: setClockTo,
  },
  {
    method: "POST",
    path: "/clock/freeze",
    summary: "stops it where it stands",
    handle: ({ engine }) => {
      engine.clockMover.freeze();
      return renderClock(engine);
    },
  },
  {
    method: "POST",
    path: "/clock/unfreeze",
    summary: "lets it run on from there",
    handle: ({ engine }) => {
      engine.clockMover.unfreeze();
      return renderClock(engine);
    },
  },
  {
    method: "GET",
    path: "/agenda",
    summary: "what waits on the clock, soonest first",
    handle: ({ engine: { idle, scheduler } }) => idle.whenSettled(() => ({ data: scheduler.agenda() })),
  },
];

export const renderClock = ({ clock }: Engine) => ({ now: formatTime(clock.now()), frozen: clock.isFrozen });

async function advanceClockBy({ ctx, engine }: ControlCall): Promise<AdvanceResult> {
  const { to } = await readKnownFields(ctx, ["to"]);
  if (typeof to !== "string") {
    throw controlProblem(
      "validation_failed",
      'Send {"to": …}: a duration, an RFC 3339 time, "next" or "idle".',
    );
  }
  return engine.clockMover.advance(to);
}

async function setClockTo({ ctx, engine }: ControlCall): Promise<AdvanceResult> {
  const { to } = await readKnownFields(ctx, ["to"]);
  if (typeof to !== "string") throw controlProblem("validation_failed", 'Send {"to": …}: an RFC 3339 time.');
  return engine.clockMover.jump(to);
}
