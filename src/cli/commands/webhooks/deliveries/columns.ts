import { formatDue } from "../../../../domain/times.ts";
import { parseTimestamp } from "../../../../domain/webhooks/timestamp.ts";
import type { Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { hiddenColumns, type ListColumn } from "../../../output/output.ts";
import { formatAgeAt, readServiceTime } from "../../../records/ages.ts";
import { tryList } from "../../../records/disabled-endpoints.ts";
import type { ServiceRecord } from "../../../records/paged-list.ts";

type Columns = readonly ListColumn<ServiceRecord>[];

/** The columns that programs get, also in a pipe. */
export const DELIVERY_COLUMNS: Columns = [
  { name: "id", isId: true },
  ...hiddenColumns("eventType", "status", "attemptCount", "lastResponseStatus", "nextAttemptAt", "createdAt"),
  ...hiddenColumns("endpointId", "lastError", "lastAttemptAt", "deliveredAt"),
];

/** What a table shows beyond the records of the list. */
export interface TableFacts {
  now: number;
  /** The labels of the endpoints by their ids. */
  labels: ReadonlyMap<unknown, unknown>;
}

export async function readTableFacts(context: Context, service: Service, facts: TableFacts): Promise<void> {
  facts.now = await readServiceTime(context, service);
  const endpoints = (await tryList(service, service.operations.webhooks.endpoints)) ?? [];
  facts.labels = new Map(endpoints.map(({ id, label }) => [id, label]));
}

export const createTableColumns = (facts: TableFacts): Columns => [
  { name: "id", isId: true },
  {
    name: "endpointId",
    title: "endpoint",
    isBelow: true,
    display: ({ endpointId }) => String(facts.labels.get(endpointId) ?? endpointId ?? ""),
  },
  { name: "eventType", title: "event" },
  { name: "status" },
  { name: "attemptCount", title: "tries", align: "right" },
  { name: "lastResponseStatus", title: "response" },
  {
    name: "nextAttemptAt",
    title: "next try",
    isOptional: true,
    display: ({ nextAttemptAt }) => describeNextAttempt(nextAttemptAt, facts),
  },
  {
    name: "createdAt",
    title: "age",
    isOptional: true,
    display: ({ createdAt }) => formatAgeAt(createdAt, facts.now),
  },
  { name: "lastError", title: "last error", isBelow: true, isOptional: true },
];

function describeNextAttempt(at: unknown, { now }: TableFacts): string | null {
  if (at === null || at === undefined) return null;
  const time = parseTimestamp(String(at));
  return time === null ? String(at) : formatDue(time - now);
}

/** A table shows rows as they arrive only with fixed widths; 36 is that of an id. */
const WIDTHS: Readonly<Record<string, number>> = {
  lastAttemptAt: 8,
  eventType: 28,
  status: 9,
  attemptCount: 5,
  lastResponseStatus: 8,
  nextAttemptAt: 12,
};

/** With times, because an age does not stay true. */
export const createWatchColumns = (facts: TableFacts): Columns =>
  [
    { name: "lastAttemptAt", title: "time", display: readClockTime },
    ...createTableColumns(facts).filter(({ name }) => name !== "createdAt"),
  ].map((column): ListColumn<ServiceRecord> => ({ ...column, width: WIDTHS[column.name] ?? 36 }));

/** `06:43:12`, UTC. What is no time stays as it is. */
function readClockTime({ lastAttemptAt, createdAt }: ServiceRecord): string {
  const at = String(lastAttemptAt ?? createdAt ?? "");
  const time = parseTimestamp(at);
  return time === null ? at : new Date(time).toISOString().slice(11, 19);
}
