import { ClaimsError } from "../../src/domain/errors.ts";

/** The one clock of a sandbox: the wall clock plus an offset, or frozen. Milliseconds since 1970, UTC. */
export class Clock {
  readonly #wall: () => number;
  readonly frozen: boolean;
  #offset = 0;
  #stoppedAt: number;

  constructor(wall: () => number, frozenAt: string | Date | undefined) {
    this.#wall = wall;
    this.frozen = frozenAt !== undefined;
    this.#stoppedAt = frozenAt === undefined ? 0 : readStart(frozenAt);
  }

  now(): number {
    return this.frozen ? this.#stoppedAt : this.#wall() + this.#offset;
  }

  /** Moves forward to `time`; a time already past changes nothing. */
  moveTo(time: number): void {
    const missing = time - this.now();
    if (missing <= 0) return;
    if (this.frozen) this.#stoppedAt = time;
    else this.#offset += missing;
  }
}

/** RFC 3339, UTC, milliseconds. */
export const formatTime = (time: number): string => new Date(time).toISOString();

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** The time of an RFC 3339 text in milliseconds, or null. */
export function parseTime(text: string): number | null {
  const time = RFC_3339.test(text) ? Date.parse(text.replace(" ", "T").toUpperCase()) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

function readStart(at: string | Date): number {
  const time = typeof at === "string" ? parseTime(at) : at.getTime();
  if (time !== null && !Number.isNaN(time)) return time;
  throw new ClaimsError("usage", "time_invalid", `The clock cannot be frozen at ${JSON.stringify(at)}`, {
    hint: "Give an RFC 3339 time such as 2026-11-20T00:00:00Z.",
  });
}
