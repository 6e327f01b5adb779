import { parseDuration } from "../../src/domain/duration.ts";
import { ClaimsError } from "../../src/domain/errors.ts";
import type { Clock } from "./scheduler/clock.ts";

/** How many requests in which time. */
export interface Quota {
  readonly requests: number;
  /** Whole seconds of sandbox time. */
  readonly seconds: number;
}

/** Windows that are kept; whoever comes from ever new addresses must not fill the memory. */
const MAX_WINDOWS = 10_000;

const MAX_WINDOW_SECONDS = 86_400;

/** How a request stands with the quota. */
export interface RateLimitStatus {
  readonly isAdmitted: boolean;
  /** Requests that are left in this window. */
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
}

interface Window {
  readonly endsAt: number;
  count: number;
}

/** Reads `100/10s`; throws a usage error for anything else. */
export function parseQuota(text: unknown): Quota {
  const [, count = "", duration = ""] = /^(\d{1,9})\/(.+)$/.exec(String(text)) ?? [];
  const seconds = (parseDuration(duration) ?? 0) / 1000;
  if (Number(count) >= 1 && Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_WINDOW_SECONDS)
    return { requests: Number(count), seconds };
  throw new ClaimsError("usage", "rate_limit_invalid", `the rate limit cannot be ${JSON.stringify(text)}`, {
    hint: "give requests and whole seconds, minutes or hours up to a day, such as 100/10s",
  });
}

/** Counts requests in fixed windows of the sandbox clock; a window begins with its first request. */
export class RateLimit {
  readonly quota: Quota;
  readonly #clock: Clock;
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock, quota: Quota) {
    this.#clock = clock;
    this.quota = quota;
  }

  /** Counts a request of somebody; one that is refused counts for nothing. */
  take(who: string): RateLimitStatus {
    const now = this.#clock.now();
    const { requests } = this.quota;
    const window = this.#currentWindow(who, now);
    const isAdmitted = window.count < requests;
    if (isAdmitted) window.count += 1;
    return {
      isAdmitted,
      remaining: requests - window.count,
      resetSeconds: Math.ceil((window.endsAt - now) / 1000),
    };
  }

  /** Nobody has asked for anything yet. */
  clear(): void {
    this.#windows.clear();
  }

  #currentWindow(who: string, now: number): Window {
    const known = this.#windows.get(who);
    const length = this.quota.seconds * 1000;
    // One that would last longer is of a time that a snapshot has taken back.
    if (known && known.endsAt > now && known.endsAt - now <= length) return known;
    this.#windows.delete(who);
    const [oldest] = this.#windows.size >= MAX_WINDOWS ? this.#windows.keys() : [];
    if (oldest !== undefined) this.#windows.delete(oldest);
    const begun = { endsAt: now + length, count: 0 };
    this.#windows.set(who, begun);
    return begun;
  }
}
