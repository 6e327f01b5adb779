import { parseTimestamp } from "../../../../domain/webhooks/timestamp.ts";
import type { Service } from "../../../connection/service.ts";
import { formatDuration } from "../../../output/format-duration.ts";
import { hiddenColumns, type ListColumn } from "../../../output/output.ts";
import { matchesFilter, type ServiceRecord } from "../../../records/paged-list.ts";

export const DELIVERIES = "webhook deliveries";

export interface DeliveryListFilter {
  readonly endpoint?: string | undefined;
  readonly status?: string | undefined;
  readonly event?: string | undefined;
  readonly limit?: number | undefined;
}

export const listDeliveries = ({ client, operations }: Service, { limit, ...filter }: DeliveryListFilter) => {
  const { endpointId, status, eventType } = filterFields(filter);
  return client.list(operations.webhooks.deliveries, { query: { endpointId, status, eventType, limit } });
};

/** A service may ignore the filter: the interface (§4) does not document its parameters. A missing field matches. */
export const matchesDeliveryFilter = (filter: DeliveryListFilter) => matchesFilter(filterFields(filter));

export const filterFields = ({ endpoint, status, event }: DeliveryListFilter) => ({
  endpointId: endpoint,
  status,
  eventType: event,
});

/** Milliseconds since 1970, or null. The interface does not document the format (§2). */
const parseRecordTime = (value: unknown): number | null =>
  typeof value === "string" || typeof value === "number" ? parseTimestamp(String(value)) : null;

/** Keeps the order of the list if a record has no time: the interface does not show the order of lists (§4). */
export function sortOldestFirst(deliveries: readonly ServiceRecord[]): readonly ServiceRecord[] {
  const listed = deliveries.toReversed();
  const times = new Map(listed.map((each) => [each, parseRecordTime(each.createdAt)]));
  if ([...times.values()].includes(null)) return listed;
  return listed.toSorted((one, other) => (times.get(one) ?? 0) - (times.get(other) ?? 0));
}

/** @param now milliseconds since 1970, by the clock of the service */
export const deliveryColumns = (now: number): readonly ListColumn<ServiceRecord>[] => [
  { name: "id", isId: true },
  { name: "eventType", title: "event" },
  { name: "status" },
  { name: "attemptCount", title: "tries", align: "right" },
  { name: "lastResponseStatus", title: "response", display: describeLastResponse },
  {
    name: "nextAttemptAt",
    title: "next try",
    isOptional: true,
    display: ({ nextAttemptAt }) => formatRelativeTime(nextAttemptAt, now),
  },
  {
    name: "createdAt",
    title: "created",
    isWhole: true,
    isOptional: true,
    // As in 11-20 08:15Z, for lack of space. Another notation stays as it is.
    display: ({ createdAt }) => String(createdAt ?? "").replace(/^\d{4}-(\S+)T(\d\d:\d\d)\S*Z$/, "$1 $2Z"),
  },
  ...hiddenColumns("endpointId"),
  { name: "lastError", title: "last error", canWrap: true, isOptional: true },
  ...hiddenColumns("lastAttemptAt", "deliveredAt"),
];

/** The status, or the error code without a response. */
function describeLastResponse({ lastResponseStatus, lastError }: ServiceRecord): string | null {
  if (lastResponseStatus !== null && lastResponseStatus !== undefined) return String(lastResponseStatus);
  return typeof lastError === "string" ? lastError.replace(/:.*$/s, "") : null;
}

/** As in `in 2 h 4 min`. */
function formatRelativeTime(at: unknown, now: number): string | null {
  if (at === null || at === undefined) return null;
  const time = parseRecordTime(at);
  if (time === null) return String(at);
  return time <= now ? "now" : `in ${formatDuration(time - now)}`;
}
