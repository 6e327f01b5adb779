import type { Delivery, Endpoint } from "../../../src/contract/webhooks.ts";
import { secretPrefixOf } from "../../../src/domain/webhooks/endpoints.ts";
import type { DeliveryRow } from "../../store/deliveries.ts";
import type { EndpointRow } from "../../store/endpoints.ts";
import { formatOptionalTime, formatTime } from "../scheduler/clock.ts";

/** The endpoint as the service shows it: of its secret, the prefix. */
export const toEndpoint = (endpoint: EndpointRow): Endpoint => ({
  id: endpoint.id,
  label: endpoint.label,
  url: endpoint.url,
  subscribedEvents: [...endpoint.subscribedEvents],
  environmentScope: endpoint.environmentScope,
  secretPrefix: secretPrefixOf(endpoint.secret),
  status: endpoint.status,
  createdAt: formatTime(endpoint.createdAt),
  lastDeliveryAt: formatOptionalTime(endpoint.lastDeliveryAt),
  lastSuccessAt: formatOptionalTime(endpoint.lastSuccessAt),
  lastFailureAt: formatOptionalTime(endpoint.lastFailureAt),
});

/** The delivery as the service shows it. */
export const toDelivery = (delivery: DeliveryRow): Delivery => ({
  id: delivery.id,
  endpointId: delivery.endpointId,
  eventId: delivery.eventId,
  eventType: delivery.eventType,
  environment: delivery.environment,
  status: delivery.status,
  attemptCount: delivery.attemptCount,
  lastResponseStatus: delivery.lastResponseStatus,
  lastError: delivery.lastError,
  lastAttemptAt: formatOptionalTime(delivery.lastAttemptAt),
  nextAttemptAt: formatOptionalTime(delivery.nextAttemptAt),
  deliveredAt: formatOptionalTime(delivery.deliveredAt),
  createdAt: formatTime(delivery.createdAt),
});
