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

const isEvent = (value: unknown) => isText(value) && findClosestEventType(value) === null;

const FILTERS = {
  endpointId: isText,
  eventType: isEvent,
  status: (value: unknown) => DELIVERY_STATES.some((state) => state === value),
};

/** @throws ClaimsError `validation_failed` */
export const parseDeliveryFilter = (filter: unknown): DeliveryFilter =>
  requireCriteria(
    filter,
    "filter",
    FILTERS,
    `filters are endpointId, eventType and status (${DELIVERY_STATES.join(", ")})`,
  );

const CONDITIONS = { id: isText, endpointId: isText, eventType: isEvent };

/** Of `toHaveDelivered()`. @throws ClaimsError `validation_failed` */
export const requireDeliveredCondition = (condition: unknown): object =>
  requireCriteria(condition, "condition", CONDITIONS, "toHaveDelivered() takes id, endpointId and eventType");

function requireCriteria(
  given: unknown,
  noun: string,
  known: Readonly<Record<string, (value: unknown) => boolean>>,
  hint: string,
): object {
  const criteria = isRecord(given) ? given : { [noun]: given };
  for (const [name, value] of Object.entries(criteria)) {
    if (value === undefined || (Object.hasOwn(known, name) && known[name]?.(value))) continue;
    const closest = name === "eventType" ? findClosestEventType(value) : null;
    throw usageError("validation_failed", `invalid ${noun}: ${name} = ${quoteValue(value)}`, {
      hint: closest === null ? hint : `the closest event type is ${closest}; ${hint}`,
    });
  }
  return criteria;
}
