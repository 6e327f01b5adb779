import { usageError } from "../../../src/domain/errors.ts";
import { isRecord, quoteValue } from "../../../src/domain/json.ts";
import { DELIVERY_STATES } from "../../../src/domain/webhooks/deliveries.ts";
import type { DeliveryFilter } from "../../api/webhooks.ts";

const isText = (value: unknown) => typeof value === "string";

const CRITERIA: { readonly [Name in keyof DeliveryFilter]-?: (value: unknown) => boolean } = {
  endpointId: isText,
  eventType: isText,
  status: (value) => DELIVERY_STATES.some((state) => state === value),
};

/** @throws ClaimsError `validation_failed` */
export function parseDeliveryFilter(filter: unknown): DeliveryFilter {
  const criteria = isRecord(filter) ? filter : { filter };
  for (const [name, value] of Object.entries(criteria)) {
    if (value === undefined) continue;
    if (Object.hasOwn(CRITERIA, name) && CRITERIA[name as keyof DeliveryFilter](value)) continue;
    throw usageError("validation_failed", `invalid filter: ${name} = ${quoteValue(value)}`, {
      hint: `filters are endpointId, eventType and status (${DELIVERY_STATES.join(", ")})`,
    });
  }
  return criteria;
}
