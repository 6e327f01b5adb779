import { usageError } from "../../../src/domain/errors.ts";
import { isRecord, quoteValue } from "../../../src/domain/json.ts";
import { findClosest } from "../../../src/domain/text.ts";
import { DELIVERY_STATES } from "../../../src/domain/webhooks/deliveries.ts";
import { EVENT_TYPES, isEventType } from "../../../src/domain/webhooks/event-types.ts";
import type { DeliveryFilter } from "../../api/webhooks.ts";

const isText = (value: unknown) => typeof value === "string";

/** Any name can be emitted, so only one that is nearly a published one is a typing error. */
export function findClosestEventType(value: unknown): string | null {
  if (typeof value !== "string" || isEventType(value)) return null;
  return findClosest(value, EVENT_TYPES, MAX_TYPING_ERRORS);
}

const MAX_TYPING_ERRORS = 2;

const CRITERIA: { readonly [Name in keyof DeliveryFilter]-?: (value: unknown) => boolean } = {
  endpointId: isText,
  eventType: (value) => isText(value) && findClosestEventType(value) === null,
  status: (value) => DELIVERY_STATES.some((state) => state === value),
};

/** @throws ClaimsError `validation_failed` */
export function parseDeliveryFilter(filter: unknown): DeliveryFilter {
  const criteria = isRecord(filter) ? filter : { filter };
  for (const [name, value] of Object.entries(criteria)) {
    if (value === undefined) continue;
    if (Object.hasOwn(CRITERIA, name) && CRITERIA[name as keyof DeliveryFilter](value)) continue;
    throw usageError("validation_failed", `invalid filter: ${name} = ${quoteValue(value)}`, {
      hint: `${name === "eventType" && findClosestEventType(value) ? `the closest event type is ${findClosestEventType(value)}; ` : ""}filters are endpointId, eventType and status (${DELIVERY_STATES.join(", ")})`,
    });
  }
  return criteria;
}
