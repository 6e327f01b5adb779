import { Buffer, isUtf8 } from "node:buffer";
import {
  type Delivery,
  delivery as deliverySchema,
  type Endpoint,
  endpoint as endpointSchema,
} from "../../../src/contract/operations/webhooks.ts";
import { secretPrefixOf } from "../../../src/domain/webhooks/endpoints.ts";
import type { DeliveryDetails } from "../../api/webhooks.ts";
import { listAttempts } from "../../store/attempts.ts";
import type { DeliveryRow } from "../../store/deliveries.ts";
import type { EndpointRow } from "../../store/endpoints.ts";
import { readEventBody } from "../../store/events.ts";
import type { Store } from "../../store/store.ts";
import { formatTime } from "../scheduler/clock.ts";
import { toRecord } from "../to-record.ts";

/** The record shows only the prefix of the signing secret. */
export const toEndpoint = (endpoint: EndpointRow): Endpoint =>
  toRecord(endpointSchema, {
    ...endpoint,
    subscribedEvents: [...endpoint.subscribedEvents],
    secretPrefix: secretPrefixOf(endpoint.secret),
  });

export const toDelivery = (delivery: DeliveryRow): Delivery => toRecord(deliverySchema, delivery);

export function toDeliveryDetails(store: Store, delivery: DeliveryRow, url: string): DeliveryDetails {
  const body = Buffer.from(readEventBody(store, delivery.event));
  return {
    ...toDelivery(delivery),
    url,
    body: isUtf8(body) ? body.toString() : null,
    bodyBase64: body.toString("base64"),
    attempts: listAttempts(store, delivery.seq).map(({ delivery: _, at, responseExcerpt, ...attempt }) => ({
      ...attempt,
      at: formatTime(at),
      responseExcerpt: responseExcerpt && Buffer.from(responseExcerpt).toString(),
    })),
  };
}
