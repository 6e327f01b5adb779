import type { Surroundings } from "./surroundings.ts";

/** Attempts in all, the first included. */
export const MAX_ATTEMPTS = 4;

const FIRST_DELAY = 250;
const LONGEST_DELAY = 30_000;

const RETRIED_STATUS: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Failures after which the request provably never reached the service. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Whether an answer says "later": a read obeys, a write only where the service refused before acting (429). */
export const isWorthRepeating = (status: number, safe: boolean): boolean =>
  safe ? RETRIED_STATUS.has(status) : status === 429;

/** Whether a failed attempt may be made again without any doubt about what happened, and with some hope. */
export const isRepeatable = (errorCode: string, safe: boolean): boolean =>
  !isCertificateFault(errorCode) && (safe || wasNeverSent(errorCode));

/** Whether the request provably did not reach the service: nothing is sent before the connection stands. */
export const wasNeverSent = (errorCode: string): boolean =>
  NEVER_SENT.has(errorCode) || isCertificateFault(errorCode);

/** Node's names for a certificate that was not accepted. */
export const isCertificateFault = (errorCode: string): boolean =>
  /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ERR_TLS/.test(errorCode);

/**
 * Milliseconds until the next attempt: what the service asks for, or a doubling delay, half of it by chance.
 *
 * @param attempt the number of attempts made, from 1
 */
export function delayBefore(
  attempt: number,
  retryAfter: string | undefined,
  { now, random }: Surroundings,
): number {
  const asked = parseRetryAfter(retryAfter, now());
  if (asked !== null) return asked;
  const ceiling = Math.min(FIRST_DELAY * 2 ** (attempt - 1), LONGEST_DELAY);
  return ceiling / 2 + (random() * ceiling) / 2;
}

/** Whether the service asks for more patience than a command has: then its answer is told instead. */
export const isTooLong = (retryAfter: string | undefined, now: number): boolean =>
  (parseRetryAfter(retryAfter, now) ?? 0) > LONGEST_DELAY;

/** `Retry-After` in both forms of RFC 9110 §10.2.3, as milliseconds from now. */
export function parseRetryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
