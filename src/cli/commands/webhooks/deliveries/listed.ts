import type { Answer } from "../../../../client/client.ts";
import type { Column } from "../../../output/output.ts";
import { hasThese, type Item } from "../../../paged-list.ts";
import type { Service } from "../../../service.ts";
import { formatRelativeTime } from "./when-in-words.ts";

/** As messages name them. */
export const DELIVERIES = "webhook deliveries";

/** Which deliveries are wanted. */
export interface DeliveryListFilter {
  readonly endpoint?: string | undefined;
  readonly status?: string | undefined;
  readonly event?: string | undefined;
  /** How many a page is asked to have. */
  readonly limit?: number | undefined;
}

export const listDeliveries = (
  { client, operations }: Service,
  { endpoint, status, event, limit }: DeliveryListFilter,
): AsyncGenerator<Answer> =>
  client.list(operations.webhooks.deliveries, {
    query: { endpointId: endpoint, status, eventType: event, limit },
  });

/**
 * Whether a delivery is wanted. That a service filters by endpoint is documented (interface §4), the names of all these
 * parameters are assumed: one that overlooks them sends others too. A field that it does not have says nothing.
 */
export const matchesFilter = (filter: DeliveryListFilter) => hasThese(filterFields(filter));

/** The fields that a filter is about, with the values that it wants. */
export const filterFields = ({ endpoint, status, event }: DeliveryListFilter) => ({
  endpointId: endpoint,
  status,
  eventType: event,
});

/** What a list of deliveries shows of each; `now` as the service has it, milliseconds since 1970. */
export const deliveryColumns = (now: number): readonly Column<Item>[] => [
  { name: "id", isId: true, of: ({ id }) => id },
  { name: "eventType", title: "event", of: ({ eventType }) => eventType },
  { name: "status", of: ({ status }) => status },
  { name: "attemptCount", title: "tries", align: "right", of: ({ attemptCount }) => attemptCount },
  {
    name: "lastResponseStatus",
    title: "response",
    of: ({ lastResponseStatus }) => lastResponseStatus,
    shown: describeLastResponse,
  },
  {
    name: "nextAttemptAt",
    title: "next try",
    of: ({ nextAttemptAt }) => nextAttemptAt,
    shown: ({ nextAttemptAt }) => formatRelativeTime(nextAttemptAt, now),
  },
  { name: "createdAt", hidden: true, of: ({ createdAt }) => createdAt },
  { name: "endpointId", hidden: true, of: ({ endpointId }) => endpointId },
  { name: "lastError", hidden: true, of: ({ lastError }) => lastError },
  { name: "lastAttemptAt", hidden: true, of: ({ lastAttemptAt }) => lastAttemptAt },
  { name: "deliveredAt", hidden: true, of: ({ deliveredAt }) => deliveredAt },
];

/** What the receiver said, or the code of why it said nothing. */
function describeLastResponse({ lastResponseStatus, lastError }: Item): string | null {
  if (lastResponseStatus !== null && lastResponseStatus !== undefined) return String(lastResponseStatus);
  return typeof lastError === "string" ? lastError.replace(/:.*$/s, "") : null;
}
