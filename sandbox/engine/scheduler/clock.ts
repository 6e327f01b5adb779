import { types } from "node:util";
import { usageError } from "../../../src/domain/errors.ts";
import { MAX_TIME_MS, MIN_TIME_MS } from "../../../src/domain/time-range.ts";

/** A day before the last RFC 3339 time: most of what starts then falls due by the end of the year 9999. */
const MAX_CLOCK_TIME = MAX_TIME_MS - 86_400_000;

/** A frozen clock has a time, a running clock has its milliseconds ahead of the wall clock. */
export type SavedClock = { readonly stoppedAt: number } | { readonly ahead: number };

/** The one clock of a sandbox: the wall clock plus an offset, or frozen. Milliseconds since 1970, UTC. */
export class Clock {
  readonly #wall: () => number;
  readonly #start: SavedClock;
  #offset = 0;
  #lastWall = 0;
  /** Null while the clock runs. */
  #stoppedAt: number | null = null;

  constructor(wall: () => number, frozenAt: string | Date | undefined) {
    this.#wall = wall;
    this.#start = frozenAt === undefined ? { ahead: 0 } : { stoppedAt: parseStartTime(frozenAt) };
    this.reset();
  }

  get isFrozen(): boolean {
    return this.#stoppedAt !== null;
  }

  now(): number {
    return this.#stoppedAt ?? this.#wall() + this.#offset;
  }

  /** Moves forward to `time`. A time in the past changes nothing. */
  moveTo(time: number): void {
    const missing = time - this.now();
    if (missing <= 0) return;
    if (this.#stoppedAt !== null) this.#stoppedAt = time;
    else this.#offset += missing;
  }

  /** Milliseconds that the wall clock was set back since the last call, while this clock runs. */
  takeBackwardStepMs(): number {
    const wall = this.#wall();
    const backwardStepMs = Math.max(0, this.#lastWall - wall);
    this.#lastWall = wall;
    return backwardStepMs;
  }

  freeze(): void {
    this.#stoppedAt = this.now();
  }

  unfreeze(): void {
    this.#lastWall = this.#wall();
    this.#offset = this.now() - this.#lastWall;
    this.#stoppedAt = null;
  }

  reset(): void {
    this.restore(this.#start);
  }

  save(): SavedClock {
    return this.#stoppedAt === null ? { ahead: this.#offset } : { stoppedAt: this.#stoppedAt };
  }

  /** A running clock keeps its distance to the wall clock: receivers compare the time of a signature with their own. */
  restore(saved: SavedClock): void {
    this.#stoppedAt = "stoppedAt" in saved ? saved.stoppedAt : null;
    this.#offset = "ahead" in saved ? saved.ahead : 0;
  }
}

/** RFC 3339, UTC, milliseconds. */
export const formatTime = (time: number): string => new Date(time).toISOString();

const RFC_3339 = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** Parses an RFC 3339 time to milliseconds. Returns null for an invalid one, such as 30 February or 24:00:00. */
export function parseTime(text: string): number | null {
  const [, day, clock, fraction = "", zone = ""] = RFC_3339.exec(text) ?? [];
  const written = `${day}T${clock}`;
  // Date.parse reads both as the next day.
  const read = new Date(`${written}Z`);
  if (Number.isNaN(read.getTime()) || !read.toISOString().startsWith(written)) return null;
  const time = Date.parse(written + fraction + zone.toUpperCase());
  return Number.isNaN(time) ? null : time;
}

/** Refuses a time after which the sandbox cannot write later times. */
export function requireClockRange(time: number): void {
  if (time >= MIN_TIME_MS && time <= MAX_CLOCK_TIME) return;
  throw usageError("option_invalid", "the clock covers the years 0000 to 9999", {
    hint: `give a time from ${formatTime(MIN_TIME_MS)} to ${formatTime(MAX_CLOCK_TIME)}`,
  });
}

// A test runner's Date comes from another realm, so instanceof does not recognize it.
function parseStartTime(at: string | Date): number {
  const time = types.isDate(at) ? at.getTime() : parseTime(String(at));
  if (time === null || Number.isNaN(time)) throw timeInvalid(String(at));
  requireClockRange(time);
  return time;
}

const timeInvalid = (text: string) =>
  usageError("option_invalid", `invalid time for the clock: ${text}`, {
    hint: "give an RFC 3339 time, for example 2026-11-20T00:00:00Z",
  });
