import { parseDuration } from "../../../src/domain/duration.ts";
import { ClaimsError } from "../../../src/domain/errors.ts";
import { quoteValue } from "../../../src/domain/json.ts";
import { parseTime, requireClockRange } from "./clock.ts";

// Where a clock may be moved to, and why it did not get there.

/** A duration from now on, or a time (RFC 3339), in milliseconds since 1970. Throws a usage error for any other. */
export function parseAdvanceTarget(to: string, now: number): number {
  const duration = parseDuration(to);
  const target = duration === null ? parseTime(to) : now + duration;
  if (target === null) throw invalidAdvanceTarget(to);
  return requireFutureTime(target, to, now);
}

/** The same for a time alone. */
export function parseSetTarget(to: string, now: number): number {
  const target = parseTime(to);
  if (target === null) throw invalidTime(to);
  return requireFutureTime(target, to, now);
}

function requireFutureTime(target: number, to: string, now: number): number {
  if (target < now) throw clockBackwards(to);
  requireClockRange(target);
  return target;
}

const invalidAdvanceTarget = (to: string) =>
  new ClaimsError("usage", "advance_unreadable", `the clock cannot be advanced to ${quoteValue(to)}`, {
    hint: "give a duration (3d, 1h30m, 500ms), an RFC 3339 time, next or idle",
  });

const clockBackwards = (to: string) =>
  new ClaimsError("usage", "clock_backwards", `the clock is already past ${to}`, {
    hint: "the clock only moves forward; a reset, or a snapshot, takes it back",
  });

const invalidTime = (to: string) =>
  new ClaimsError("usage", "time_unreadable", `the clock cannot be set to ${quoteValue(to)}`, {
    hint: "give an RFC 3339 time, as in 2026-11-20T00:00:00Z",
  });

export const clockInterrupted = () =>
  new ClaimsError("rejected", "clock_interrupted", "the sandbox was reset while its clock was advanced", {
    hint: "advance it again",
  });

export const advanceEndless = (count: number, kind: string) =>
  new ClaimsError(
    "rejected",
    "advance_endless",
    `the agenda does not come to an end: ${count} rows ran, the next one is ${kind}`,
    { hint: "the clock stands where the last row ran; advance it again to go on" },
  );
