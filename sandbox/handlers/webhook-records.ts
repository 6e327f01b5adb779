import type { Delivery, Endpoint } from "../../src/contract/webhooks.ts";
import { secretPrefixOf } from "../../src/domain/webhooks/endpoints.ts";
import { formatTime } from "../engine/clock.ts";
import type { DeliveryRow } from "../store/deliveries.ts";
import type { EndpointRow } from "../store/endpoints.ts";
import { optionalTime } from "./optional-time.ts";

/** The endpoint as the service shows it: of its secret, the prefix. */
export const endpointRecord = (endpoint: EndpointRow): Endpoint => ({
  id: endpoint.id,
  label: endpoint.label,
  url: endpoint.url,
  subscribedEvents: [...endpoint.subscribedEvents],
  environmentScope: endpoint.environmentScope,
  secretPrefix: secretPrefixOf(endpoint.secret),
  status: endpoint.status,
  createdAt: formatTime(endpoint.createdAt),
  lastDeliveryAt: optionalTime(endpoint.lastDeliveryAt),
  lastSuccessAt: optionalTime(endpoint.lastSuccessAt),
  lastFailureAt: optionalTime(endpoint.lastFailureAt),
});

/** The delivery as the service shows it. */
export const deliveryRecord = (delivery: DeliveryRow): Delivery => ({
  id: delivery.id,
  endpointId: delivery.endpointId,
  eventId: delivery.eventId,
  eventType: delivery.eventType,
  environment: delivery.environment,
  status: delivery.status,
  attemptCount: delivery.attemptCount,
  lastResponseStatus: delivery.lastResponseStatus,
  lastError: delivery.lastError,
  lastAttemptAt: optionalTime(delivery.lastAttemptAt),
  nextAttemptAt: optionalTime(delivery.nextAttemptAt),
  deliveredAt: optionalTime(delivery.deliveredAt),
  createdAt: formatTime(delivery.createdAt),
});
