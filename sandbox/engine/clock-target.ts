import { parseDuration } from "../../src/domain/duration.ts";
import { ClaimsError } from "../../src/domain/errors.ts";
import { quoteValue } from "../../src/domain/json.ts";
import { checkRange, parseTime } from "./clock.ts";

// Where a clock may be moved to, and why it did not get there.

/** A duration from now on, or a time (RFC 3339), in milliseconds since 1970. Throws a usage error for any other. */
export function timeAhead(to: string, now: number): number {
  const duration = parseDuration(to);
  const target = duration === null ? parseTime(to) : now + duration;
  if (target === null) throw unreadable(to);
  return ahead(target, to, now);
}

/** The same for a time alone. */
export function exactTimeAhead(to: string, now: number): number {
  const target = parseTime(to);
  if (target === null) throw noTime(to);
  return ahead(target, to, now);
}

function ahead(target: number, to: string, now: number): number {
  if (target < now) throw backwards(to);
  checkRange(target);
  return target;
}

const unreadable = (to: string) =>
  new ClaimsError("usage", "advance_unreadable", `the clock cannot be advanced to ${quoteValue(to)}`, {
    hint: "give a duration (3d, 1h30m, 500ms), an RFC 3339 time, next or idle",
  });

const backwards = (to: string) =>
  new ClaimsError("usage", "clock_backwards", `the clock is already past ${to}`, {
    hint: "the clock only moves forward; a reset, or a snapshot, takes it back",
  });

const noTime = (to: string) =>
  new ClaimsError("usage", "time_unreadable", `the clock cannot be set to ${quoteValue(to)}`, {
    hint: "give an RFC 3339 time, as in 2026-11-20T00:00:00Z",
  });

export const interrupted = () =>
  new ClaimsError("rejected", "clock_interrupted", "the sandbox was reset while its clock was advanced", {
    hint: "advance it again",
  });

export const endless = (count: number, kind: string) =>
  new ClaimsError(
    "rejected",
    "advance_endless",
    `the agenda does not come to an end: ${count} rows ran, the next one is ${kind}`,
    { hint: "the clock stands where the last row ran; advance it again to go on" },
  );
