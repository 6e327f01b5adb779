import type { ApiResponse } from "../../../../client/client.ts";
import type { Service } from "../../../connection/service.ts";
import type { ListColumn } from "../../../output/output.ts";
import { matchesFilter, type ServiceRecord } from "../../../records/paged-list.ts";
import { formatRelativeTime } from "./relative-time.ts";

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
): AsyncGenerator<ApiResponse> =>
  client.list(operations.webhooks.deliveries, {
    query: { endpointId: endpoint, status, eventType: event, limit },
  });

/**
 * Whether a delivery is wanted. That a service filters by endpoint is documented (interface §4), the names of all these
 * parameters are assumed: one that overlooks them sends others too. A field that it does not have says nothing.
 */
export const matchesDeliveryFilter = (filter: DeliveryListFilter) => matchesFilter(filterFields(filter));

/** The fields that a filter is about, with the values that it wants. */
export const filterFields = ({ endpoint, status, event }: DeliveryListFilter) => ({
  endpointId: endpoint,
  status,
  eventType: event,
});

/** What a list of deliveries shows of each; `now` as the service has it, milliseconds since 1970. */
export const deliveryColumns = (now: number): readonly ListColumn<ServiceRecord>[] => [
  { name: "id", isId: true },
  { name: "eventType", title: "event" },
  { name: "status" },
  { name: "attemptCount", title: "tries", align: "right" },
  {
    name: "lastResponseStatus",
    title: "response",
    display: describeLastResponse,
  },
  {
    name: "nextAttemptAt",
    title: "next try",
    display: ({ nextAttemptAt }) => formatRelativeTime(nextAttemptAt, now),
  },
  { name: "createdAt", isHidden: true },
  { name: "endpointId", isHidden: true },
  { name: "lastError", isHidden: true },
  { name: "lastAttemptAt", isHidden: true },
  { name: "deliveredAt", isHidden: true },
];

/** What the receiver said, or the code of why it said nothing. */
function describeLastResponse({ lastResponseStatus, lastError }: ServiceRecord): string | null {
  if (lastResponseStatus !== null && lastResponseStatus !== undefined) return String(lastResponseStatus);
  return typeof lastError === "string" ? lastError.replace(/:.*$/s, "") : null;
}
