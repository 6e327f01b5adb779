import { formatTime, formatTimeOfDay } from "../times.ts";
import type { DeliveryState } from "../webhooks/deliveries.ts";
import type { ActivityLine } from "./activity-line.ts";

/** An attempt to deliver an event, and the state of the delivery after it. */
export interface DescribedAttempt {
  /** RFC 3339, of the sandbox clock. */
  readonly at: string;
  readonly eventType: string;
  readonly url: string;
  /** Counted from 1. */
  readonly number: number;
  readonly trigger: "schedule" | "resend";
  /** Wall time. */
  readonly durationMs: number;
  readonly responseStatus: number | null;
  readonly error: { readonly code: string; readonly detail: string } | null;
  readonly status: DeliveryState;
  /** RFC 3339; null when no further attempt is due. */
  readonly nextAttemptAt: string | null;
}

export function describeAttempt(attempt: DescribedAttempt): ActivityLine {
  const { at, durationMs, error, eventType, number, responseStatus, trigger, url } = attempt;
  return {
    at,
    tone: error ? "failure" : "success",
    result: responseStatus === null ? "–" : String(responseStatus),
    verb: "event",
    subject: `${eventType} to ${redactUrl(url)}`,
    durationMs,
    label: `attempt ${number}`,
    notes: [
      ...(trigger === "resend" ? ["a resend"] : []),
      ...(error && error.code !== "http_status" ? [error.detail] : []),
      ...(error ? [describeNextAttempt(attempt)] : []),
    ],
  };
}

const describeNextAttempt = ({ at, nextAttemptAt, status }: DescribedAttempt): string =>
  nextAttemptAt === null ? `no further attempt: ${status}` : `next at ${describeNear(nextAttemptAt, at)}`;

/** Only the time of day on the same day, with seconds: attempts follow each other quickly. */
const describeNear = (at: string, now: string): string =>
  at.slice(0, "2026-11-20".length) === now.slice(0, "2026-11-20".length)
    ? formatTimeOfDay(at)
    : formatTime(at);

/** Leaves out the user and the query, which may contain a secret. A second call changes nothing. */
export function redactUrl(url: string): string {
  // Without these, and with a redacted host.
  if (!URL.canParse(url)) return url;
  const { protocol, host, pathname, search } = new URL(url);
  return `${protocol}//${host}${pathname}${search && "?…"}`;
}
