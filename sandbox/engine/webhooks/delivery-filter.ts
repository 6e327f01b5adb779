import { findClosest } from "../../../src/domain/text.ts";
import { DELIVERY_STATES } from "../../../src/domain/webhooks/deliveries.ts";
import { EVENT_TYPES, isEventName, isEventType } from "../../../src/domain/webhooks/event-types.ts";
import type { DeliveryCondition, DeliveryFilter } from "../../api/webhooks.ts";
import { checkFields, type FieldChecks, text, word } from "../check-fields.ts";

/** Any name can be emitted, so only one that is nearly a published one is a typing error. */
function findClosestEventType(value: unknown): string | null {
  if (typeof value !== "string" || isEventType(value)) return null;
  return findClosest(value, EVENT_TYPES, MAX_TYPING_ERRORS);
}

const MAX_TYPING_ERRORS = 2;

const FILTERS: FieldChecks<DeliveryFilter> = {
  endpointId: text("the id of an endpoint"),
  eventType: {
    isValid: (value) =>
      typeof value === "string" && isEventName(value) && findClosestEventType(value) === null,
    expected: "an event type, such as partner.test",
    findClosest: findClosestEventType,
  },
  status: word(DELIVERY_STATES, DELIVERY_STATES.join(", ")),
};

/** @throws ClaimsError `validation_failed` */
export const parseDeliveryFilter = (filter: unknown): DeliveryFilter =>
  checkFields(filter, FILTERS, { what: "a filter of deliveries", noun: "field" });

const CONDITIONS: FieldChecks<DeliveryCondition> = { id: text("the id of a delivery"), ...FILTERS };

/** @throws ClaimsError `validation_failed` */
export const parseDeliveryCondition = (condition: unknown): DeliveryCondition =>
  checkFields(condition, CONDITIONS, { what: "the condition of a delivery", noun: "field" });

const { status: _, ...DELIVERED_CONDITIONS } = CONDITIONS;

/** Checks the condition of `toHaveDelivered()`. @throws ClaimsError `validation_failed` */
export const requireDeliveredCondition = (condition: unknown): object =>
  checkFields(condition, DELIVERED_CONDITIONS, {
    what: "the condition of toHaveDelivered()",
    noun: "field",
  });
