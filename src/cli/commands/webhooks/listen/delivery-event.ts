import type { Explanation } from "../../../../domain/webhooks/explain/explain.ts";
import type { VerifyResult } from "../../../../domain/webhooks/signature.ts";
import type { CheckedDelivery } from "./check-delivery.ts";
import type { ForwardResult } from "./forwarder.ts";

/** All that is told of a delivery: what a program reads, and what the lines for a person are made from. */
export interface DeliveryEvent extends CheckedDelivery {
  readonly number: number;
  /** RFC 3339. */
  readonly receivedAt: string;
  readonly path: string;
  /** Of the body. */
  readonly bytes: number;
  /** Why it does not verify; null where nobody looked. */
  readonly explanation: Omit<Explanation, keyof VerifyResult> | null;
  /** What its sender was told. */
  readonly answered: number;
  readonly forwarded: readonly ForwardResult[];
  /** Where it is recorded. */
  readonly file: string | null;
}

/** As a program reads it: one line, which says by `event` what it is. */
export function toJsonLine(told: DeliveryEvent): string {
  const { number, receivedAt, path, event, claimedEvent, bytes, forwarded, explanation, ...rest } = told;
  const { causes = null, tried = null, complete = null, failure = null } = explanation ?? {};
  return JSON.stringify({
    event: "delivery",
    ...{ number, receivedAt, path, eventType: event, claimedEventType: claimedEvent, bytes },
    ...rest,
    ...{ causes, tried, complete },
    ...(failure !== null && { failure }),
    forwarded: forwarded.map(({ retryAfter, ...each }) => each),
  });
}
