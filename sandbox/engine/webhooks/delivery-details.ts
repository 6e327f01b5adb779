import { Buffer, isUtf8 } from "node:buffer";
import type { DeliveryAttempt, DeliveryDetails } from "../../api/webhooks.ts";
import type { AttemptRow } from "../../store/attempts.ts";
import { listAttempts } from "../../store/attempts.ts";
import type { DeliveryRow } from "../../store/deliveries.ts";
import { readEventBody } from "../../store/events.ts";
import type { Store } from "../../store/open.ts";
import { formatTime } from "../scheduler/clock.ts";
import { toDelivery } from "./records.ts";

/** A delivery with its body and every attempt. */
export function toDeliveryDetails(store: Store, delivery: DeliveryRow, url: string): DeliveryDetails {
  const body = Buffer.from(readEventBody(store, delivery.event));
  return {
    ...toDelivery(delivery),
    url,
    body: isUtf8(body) ? body.toString() : null,
    bodyBase64: body.toString("base64"),
    attempts: listAttempts(store, delivery.seq).map(toDeliveryAttempt),
  };
}

const toDeliveryAttempt = (attempt: AttemptRow): DeliveryAttempt => ({
  number: attempt.number,
  trigger: attempt.trigger,
  at: formatTime(attempt.at),
  durationMs: attempt.durationMs,
  headers: attempt.headers,
  responseStatus: attempt.responseStatus,
  responseHeaders: attempt.responseHeaders,
  responseExcerpt: attempt.responseExcerpt && Buffer.from(attempt.responseExcerpt).toString(),
  error: attempt.error,
});
