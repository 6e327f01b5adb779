import { describeSharedUrls } from "../../../domain/webhooks/endpoints.ts";
import { openService, type Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import { command } from "../../framework/command.ts";
import { hiddenColumns, type ListColumn } from "../../output/output.ts";
import { formatAgeAt, readServiceTime } from "../../records/ages.ts";
import { explainDisabled, tryList } from "../../records/disabled-endpoints.ts";
import { pagingOptions, type ServiceRecord, toPagedList } from "../../records/paged-list.ts";

export const endpointsList = command({
  name: "list",
  summary: "list the webhook endpoints of your partner, newest first",
  remote: "reads",
  output: "list",
  operation: ({ webhooks }) => webhooks.endpoints,
  options: pagingOptions,
  examples: [
    "claims webhooks list",
    "claims webhooks list --all --fields id,url,secretPrefix,status",
    "claims webhooks list --json | jq -r '.data[] | select(.status == \"disabled\") | .id'",
  ],
  async run(context, call) {
    const service = await openService(context, call);
    const { client, operations } = service;
    const operation = operations.webhooks.endpoints;
    const facts: Facts = { now: 0, deliveries: [] };
    const pages = client.list(operation, { query: { limit: call.options.limit } });
    return toPagedList(context, service, pages, call, {
      operation,
      noun: "webhook endpoints",
      columns: createColumns(facts),
      emptyMessage: "no webhook endpoint yet; `claims webhooks create URL` registers one",
      readMore: () => readFacts(context, service, facts),
      notes: async (endpoints) => [
        ...(await explainDisabled(service, endpoints)),
        ...describeSharedUrls(endpoints),
      ],
    });
  },
});

/** What the table shows beyond the records of the list. */
interface Facts {
  now: number;
  deliveries: readonly ServiceRecord[];
}

async function readFacts(context: Context, service: Service, facts: Facts): Promise<void> {
  facts.now = await readServiceTime(context, service);
  facts.deliveries = (await tryList(service, service.operations.webhooks.deliveries)) ?? [];
}

const createColumns = (facts: Facts): readonly ListColumn<ServiceRecord>[] => [
  { name: "id", isId: true },
  { name: "label", canWrap: true },
  { name: "status" },
  { name: "environmentScope", title: "scope" },
  { name: "secretPrefix", title: "secret", isBelow: true },
  { name: "url", isBelow: true },
  { name: "subscribedEvents", title: "events", display: describeEvents },
  ...hiddenColumns("createdAt", "lastDeliveryAt"),
  {
    name: "lastSuccessAt",
    title: "last success",
    isWhole: true,
    canWrap: true,
    display: ({ lastSuccessAt }) => formatAgeAt(lastSuccessAt, facts.now),
  },
  {
    name: "lastFailureAt",
    title: "last failure",
    isWhole: true,
    canWrap: true,
    display: (endpoint) => describeFailure(endpoint, facts),
  },
];

/** The name of the only one, or their number. */
function describeEvents({ subscribedEvents: events }: ServiceRecord) {
  if (!Array.isArray(events)) return events === undefined ? null : String(events);
  return events.length === 1 ? String(events[0]) : events.length;
}

/** `503, 2 h ago`. The record of an endpoint does not have the status, but the latest deliveries may. */
function describeFailure({ id, lastFailureAt }: ServiceRecord, { now, deliveries }: Facts): string | null {
  const age = formatAgeAt(lastFailureAt, now);
  const failed = deliveries.find(
    ({ endpointId, lastAttemptAt }) => endpointId === id && lastAttemptAt === lastFailureAt,
  );
  if (age === null || !failed) return age;
  return `${failed.lastResponseStatus ?? "no response"}, ${age}`;
}
