import type { IncomingMessage } from "node:http";
import { ByteCollector } from "../../../../domain/byte-collector.ts";
import { headerValues, pairRawHeaders } from "../../../../domain/http-headers.ts";
import { fingerprint } from "../../../../domain/webhooks/fingerprint.ts";
import { EVENT_HEADER } from "../../../../domain/webhooks/headers.ts";
import type { ReceivedDelivery } from "../../../../domain/webhooks/input-formats/delivery.ts";
import { type VerifyResult, verify } from "../../../../domain/webhooks/signature.ts";
import type { Document } from "../../../documents/index.ts";

export interface IncomingDelivery extends ReceivedDelivery {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Path and query, as in the request line. */
  readonly path: string;
  /** Bytes that arrived; more than the body has when it was too large. */
  readonly size: number;
}

/** Payloads of the service have a few hundred bytes. */
const MAX_BODY_BYTES = 5 << 20;

/** Reads a request to its end, so that the sender reads the response; drops the body when it is too large. */
export async function readDelivery(request: IncomingMessage, at: number): Promise<IncomingDelivery> {
  const body = new ByteCollector();
  let size = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) body.append(chunk);
    else body.clear();
  }
  const headers = pairRawHeaders(request.rawHeaders);
  return { at, path: request.url ?? "/", headers, body: body.bytes(), size };
}

type ListenLine = Document<"ListenLine">;
export type ReadyEvent = Extract<ListenLine, { event: "ready" }>;
export type DeliveryEvent = Extract<ListenLine, { event: "delivery" }>;

/** Status of the response to each verdict: interface §6, rule 4. The sender must not retry what arrived whole. */
export const RESPONSE_STATUS = {
  valid: 200,
  /** The headers are there, but no secret is configured. */
  unverified: 200,
  stale: 401,
  mismatch: 401,
  missing_header: 401,
  malformed: 401,
  too_large: 413,
} as const satisfies Record<VerifyResult["verdict"] | "unverified" | "too_large", number>;

/** Only a signed delivery has a known event (interface §6). */
export type CheckedDelivery = Pick<
  DeliveryEvent,
  "reason" | "ageSeconds" | "secretFingerprint" | "eventType" | "claimedEventType"
> & { readonly verdict: keyof typeof RESPONSE_STATUS };

export function checkDelivery(
  { headers, body, size, at }: IncomingDelivery,
  secrets: readonly string[],
  toleranceMs: number | undefined,
): CheckedDelivery {
  const [claimedEventType = null] = headerValues(headers, EVENT_HEADER);
  const unknown = { ageSeconds: null, secretFingerprint: null, eventType: null, claimedEventType };
  if (size > MAX_BODY_BYTES)
    return { ...unknown, verdict: "too_large", reason: `it is larger than ${MAX_BODY_BYTES >> 20} MiB` };
  const toleranceSeconds = toleranceMs === undefined ? undefined : toleranceMs / 1000;
  const result = verify({ secrets, headers, body, now: at, toleranceSeconds });
  const { verdict, reason, ageSeconds, secretIndex } = result;
  if (verdict === "mismatch" && secrets.length === 0)
    return { ...unknown, ageSeconds, verdict: "unverified", reason: "no secret configured" };
  if (secretIndex === null) return { ...unknown, ageSeconds, verdict, reason };
  const secretFingerprint = fingerprint(secrets[secretIndex] ?? "");
  return { verdict, reason, ageSeconds, secretFingerprint, eventType: claimedEventType, claimedEventType };
}
