import {
  type Delivery,
  delivery as deliverySchema,
  type Endpoint,
  endpoint as endpointSchema,
} from "../../../src/contract/webhooks.ts";
import { secretPrefixOf } from "../../../src/domain/webhooks/endpoints.ts";
import type { DeliveryRow } from "../../store/deliveries.ts";
import type { EndpointRow } from "../../store/endpoints.ts";
import { toRecord } from "../to-record.ts";

/** The record shows only the prefix of the signing secret. */
export const toEndpoint = (endpoint: EndpointRow): Endpoint =>
  toRecord(endpointSchema, {
    ...endpoint,
    subscribedEvents: [...endpoint.subscribedEvents],
    secretPrefix: secretPrefixOf(endpoint.secret),
  });

export const toDelivery = (delivery: DeliveryRow): Delivery => toRecord(deliverySchema, delivery);
