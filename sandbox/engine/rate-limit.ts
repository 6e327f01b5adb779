import { parseDuration } from "../../src/domain/duration.ts";
import { usageError } from "../../src/domain/errors.ts";
import type { Clock } from "./scheduler/clock.ts";

export interface Quota {
  readonly requests: number;
  /** Whole seconds of sandbox time. */
  readonly seconds: number;
}

/** Limits the memory that callers from ever new addresses take. */
const MAX_WINDOWS = 10_000;

const MAX_WINDOW_SECONDS = 86_400;

/** Parses a quota such as `100/10s`. @throws ClaimsError `option_invalid` */
export function parseQuota(text: unknown): Quota {
  const [, count = "", duration = ""] = /^(\d{1,9})\/(.+)$/.exec(String(text)) ?? [];
  const seconds = (parseDuration(duration) ?? 0) / 1000;
  if (Number(count) >= 1 && Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_WINDOW_SECONDS)
    return { requests: Number(count), seconds };
  throw usageError("option_invalid", `invalid rate limit: ${JSON.stringify(text)}`, {
    option: "rateLimit",
    hint: "give requests and whole seconds, minutes or hours up to a day, such as 100/10s",
  });
}

/** Counts requests in fixed windows of sandbox time. A window starts with its first request. */
export function createRateLimit(clock: Clock, quota: Quota) {
  const lengthMs = quota.seconds * 1000;
  const windows = new Map<string, { readonly endsAt: number; count: number }>();

  const currentWindow = (caller: string, now: number) => {
    const known = windows.get(caller);
    // A window that would last longer is from before a snapshot set the clock back.
    if (known && known.endsAt > now && known.endsAt - now <= lengthMs) return known;
    windows.delete(caller);
    const [oldest] = windows.size >= MAX_WINDOWS ? windows.keys() : [];
    if (oldest !== undefined) windows.delete(oldest);
    const window = { endsAt: now + lengthMs, count: 0 };
    windows.set(caller, window);
    return window;
  };

  return {
    quota,

    /** Counts a request of a caller. A refused request does not count. */
    take(caller: string) {
      const now = clock.now();
      const window = currentWindow(caller, now);
      const isAdmitted = window.count < quota.requests;
      if (isAdmitted) window.count += 1;
      return {
        isAdmitted,
        remaining: quota.requests - window.count,
        /** Whole seconds until the window ends, at least 1. */
        resetSeconds: Math.ceil((window.endsAt - now) / 1000),
      };
    },

    clear: () => windows.clear(),
  };
}
