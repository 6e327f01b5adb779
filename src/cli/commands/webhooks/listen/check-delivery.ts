import { fingerprint } from "../../../../domain/webhooks/fingerprint.ts";
import { EVENT_HEADER, headerValues } from "../../../../domain/webhooks/headers.ts";
import { type VerifyResult, verify } from "../../../../domain/webhooks/signature.ts";
import { type IncomingDelivery, MAX_BODY_BYTES } from "./read-delivery.ts";

/** `unverified`: the headers are there, and no secret to hold them against. */
export type DeliveryVerdict = VerifyResult["verdict"] | "unverified" | "too_large";

/** What is known of a delivery before it goes anywhere. */
export interface CheckedDelivery {
  readonly verdict: DeliveryVerdict;
  readonly reason: string;
  readonly ageSeconds: number | null;
  /** The fingerprint of the secret that signed it. */
  readonly signedBy: string | null;
  /** The event, which is known of a signed delivery only (interface §6). */
  readonly event: string | null;
  /** What the event's header says, whoever wrote it. */
  readonly claimedEvent: string | null;
}

interface CheckOptions {
  readonly secrets: readonly string[];
  /** Milliseconds. */
  readonly tolerance: number | undefined;
}

export function checkDelivery(
  { headers, body, size, at }: IncomingDelivery,
  { secrets, tolerance }: CheckOptions,
): CheckedDelivery {
  const [claimedEvent = null] = headerValues(headers, EVENT_HEADER);
  const unknown = { ageSeconds: null, signedBy: null, event: null, claimedEvent };
  if (size > MAX_BODY_BYTES)
    return { ...unknown, verdict: "too_large", reason: `it is larger than ${MAX_BODY_BYTES >> 20} MiB` };
  const toleranceSeconds = tolerance === undefined ? undefined : tolerance / 1000;
  const { verdict, reason, ageSeconds, secretIndex } = verify({
    ...{ secrets, headers, body, now: at, toleranceSeconds },
  });
  if (verdict === "mismatch" && secrets.length === 0)
    return { ...unknown, ageSeconds, verdict: "unverified", reason: "there is no secret to verify it with" };
  if (secretIndex === null) return { ...unknown, ageSeconds, verdict, reason };
  const signedBy = fingerprint(secrets[secretIndex] ?? "");
  return { verdict, reason, ageSeconds, signedBy, event: claimedEvent, claimedEvent };
}

/** What its sender is told where nobody else is asked: interface §6, rule 4, and no retry of what came whole. */
export const responseStatusFor = (verdict: DeliveryVerdict): number => RESPONSE_STATUS[verdict];

const RESPONSE_STATUS = {
  valid: 200,
  unverified: 200,
  stale: 401,
  mismatch: 401,
  missing_header: 401,
  malformed: 401,
  too_large: 413,
} as const satisfies Record<DeliveryVerdict, number>;
