import { parseDuration } from "../duration.ts";
import { ClaimsError } from "../errors.ts";

/** Milliseconds before each attempt: from the event for the first, then from the previous attempt. Never empty. */
export type RetrySchedule = readonly number[];

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** The named schedules (product.md §5, webhook delivery). `standard` takes 75 h, give or take a minute. */
export const RETRY_SCHEDULES = {
  standard: [0, 5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)],
  fast: [0, 1, 2, 5, 10, 30].map((seconds) => seconds * SECOND),
  none: [0],
} as const satisfies Readonly<Record<string, RetrySchedule>>;

export type ScheduleName = keyof typeof RETRY_SCHEDULES;

/** A delay varies by at most this share, either way. */
const JITTER_FRACTION = 0.2;

const MAX_ATTEMPTS = 100;

const MAX_DELAY_MS = 365 * 24 * HOUR;

/** A name of {@link RETRY_SCHEDULES}, or its delays as a list such as `0,5s,5m`. Throws a usage error for anything else. */
export function parseRetrySchedule(text: string): RetrySchedule {
  if (Object.hasOwn(RETRY_SCHEDULES, text)) return RETRY_SCHEDULES[text as ScheduleName];
  const delays = text.split(",").map((part) => parseDelay(part.trim(), text));
  if (delays.length > MAX_ATTEMPTS)
    throw invalidScheduleError(text, `it has ${delays.length} attempts; the maximum is ${MAX_ATTEMPTS}`);
  return delays;
}

function parseDelay(part: string, text: string): number {
  const delay = part === "0" ? 0 : parseDuration(part);
  if (delay === null) throw invalidScheduleError(text, `"${part}" is not a duration`);
  if (delay > MAX_DELAY_MS) throw invalidScheduleError(text, `${part} is longer than a year`);
  return delay;
}

const invalidScheduleError = (text: string, why: string): ClaimsError =>
  new ClaimsError("usage", "option_invalid", `invalid retry schedule "${text}": ${why}`, {
    hint: `give ${Object.keys(RETRY_SCHEDULES).join(", ")} or the delay before each attempt, such as 0,5s,5m,1h`,
  });

export interface RetryInput {
  readonly schedule: RetrySchedule;
  /** How many attempts were made so far. */
  readonly attempt: number;
  /** A random number from 0 to 1; 0.5 leaves the delay unchanged. */
  readonly jitter: number;
  /** The receiver's Retry-After (RFC 9110 §10.2.3); null without one. */
  readonly retryAfterMs: number | null;
}

/**
 * Whole milliseconds until the next attempt; null when there is none. The receiver's Retry-After counts, without jitter,
 * from the delay to twice the delay: it can slow a delivery down but not stop it.
 */
export function nextRetryDelayMs({ schedule, attempt, jitter, retryAfterMs }: RetryInput): number | null {
  const delay = schedule[attempt];
  if (delay === undefined) return null;
  if (retryAfterMs !== null) return Math.round(Math.min(Math.max(retryAfterMs, delay), 2 * delay));
  return Math.round(delay * (1 + JITTER_FRACTION * (2 * jitter - 1)));
}
