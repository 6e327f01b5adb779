import type { ListItem } from "../../../../contract/mapping/list.ts";
import { usageError } from "../../../../domain/errors.ts";
import { formatDue, formatTimeOfDay } from "../../../../domain/times.ts";
import { DELIVERY_STATES } from "../../../../domain/webhooks/deliveries.ts";
import { parseTimestamp } from "../../../../domain/webhooks/timestamp.ts";
import { openService, type Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { command } from "../../../framework/command.ts";
import { findFiniteFormat, type GlobalOptions } from "../../../framework/options.ts";
import { hiddenColumns, type ListColumn, toListOutput } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { formatAgeAt, readServiceTime } from "../../../records/ages.ts";
import { completeId } from "../../../records/complete-id.ts";
import { tryList } from "../../../records/disabled-endpoints.ts";
import { describeHidden, matchesFilter, requireItems } from "../../../records/list-reader.ts";
import {
  idOf,
  isTable,
  pagingOptions,
  type ServiceRecord,
  toPagedList,
} from "../../../records/paged-list.ts";
import { describeUnpublishedEvents } from "../create/create.ts";

const DELIVERIES = "webhook deliveries";

const listOptions = {
  endpoint: { value: "endpoint", help: "only deliveries to this endpoint" },
  status: { value: "status", choices: DELIVERY_STATES, help: "only deliveries in this state" },
  event: { value: "event", help: "only deliveries of this event, such as partner.test" },
  watch: { help: "show each change until Ctrl-C" },
  ...pagingOptions,
} as const;

export const deliveriesList = command({
  name: "deliveries",
  summary: "list, watch, show and resend webhook deliveries, newest first",
  remote: "reads",
  output: "list",
  operation: ({ webhooks }) => webhooks.deliveries,
  options: listOptions,
  examples: [
    "claims webhooks deliveries --endpoint 4b1f… --status failed --all -q",
    "claims webhooks deliveries --watch",
    "claims webhooks deliveries --watch --ndjson | jq -c '[.id, .status, .attemptCount]'",
  ],
  async run(context, call) {
    const { global, options } = call;
    if (options.watch) refuseFiniteFormats(context, global, options.all);
    const service = await openService(context, call);
    const { client, operations } = service;
    const { endpoint, status, event: eventType, limit } = options;
    // A service may have further events, so that an unknown one is no error.
    for (const warning of eventType === undefined ? [] : describeUnpublishedEvents([eventType]))
      printMessage(context, `warning: ${warning}`);
    const endpointId = endpoint && (await completeId(context, service, "endpoint", endpoint));
    const filter = { endpointId, status, eventType };
    const listPages = () => client.list(operations.webhooks.deliveries, { query: { ...filter, limit } });
    const facts: TableFacts = { now: 0, labels: new Map() };
    const isForPeople = isTable(context, global);
    const readMore = async () => {
      if (isForPeople) await readTableFacts(context, service, facts);
    };
    if (options.watch) {
      const columns = isForPeople ? createWatchColumns(facts) : DELIVERY_COLUMNS;
      return toListOutput<ListItem, ServiceRecord>({
        items: streamChanges(context, service, { listPages, filter, readMore }),
        columns,
        toRow: ({ value }) => value,
        toSent: ({ sent }) => sent,
        idOf: ({ value }) => idOf(value),
        emptyMessage: "nothing changed",
      });
    }
    return toPagedList(context, service, listPages(), call, {
      operation: operations.webhooks.deliveries,
      noun: DELIVERIES,
      columns: isForPeople ? createTableColumns(facts) : DELIVERY_COLUMNS,
      emptyMessage: "no delivery yet; `claims webhooks test partner.test` sends one",
      filter,
      readMore,
    });
  },
});

/** Formats that print after the last item print nothing with --watch, which has no last item. */
function refuseFiniteFormats({ stdout }: Context, global: GlobalOptions, all: boolean | undefined): void {
  const name = all === undefined ? findFiniteFormat(stdout, global) : "all";
  if (name === undefined) return;
  throw usageError("option_conflict", `--watch does not end, and excludes --${name}`, {
    hint: "leave it out; --ndjson prints each change as JSON",
  });
}

const POLL_INTERVAL_MS = 1_000;

interface ChangeSource {
  readonly listPages: () => ReturnType<Service["client"]["list"]>;
  readonly filter: ServiceRecord;
  /** Called before changes are yielded. */
  readonly readMore: () => Promise<void>;
}

/** Yields each new or changed delivery, oldest first, also after an outage of the service. */
async function* streamChanges(
  context: Context,
  service: Service,
  { listPages, filter, readMore }: ChangeSource,
) {
  const { client, findInstance, findSandboxState } = service;
  const { sleep, signal } = context;
  const seen = new Map<string | null, string>();
  let hidesSome = false;
  // The first page, and more while all deliveries are new.
  const poll = async () => {
    const found: ListItem[] = [];
    for await (const page of listPages()) {
      const items = requireItems(page.located, DELIVERIES);
      for (const item of items) found.push(item);
      if (seen.size === 0 || items.some(({ value }) => seen.has(idOf(value)))) break;
    }
    return found;
  };
  let instance = await findInstance();
  for (; ; await sleep(POLL_INTERVAL_MS, signal)) {
    const found = await client.outages.retryThroughOutage(poll, Number.POSITIVE_INFINITY);
    const state = await findSandboxState();
    if (state && state.instanceId !== instance) {
      printMessage(context, "the state of the sandbox has changed: its deliveries begin again");
      instance = state.instanceId;
      seen.clear();
      // What was found may be of either state.
      continue;
    }
    if (found.some(({ value, sent }) => seen.get(idOf(value)) !== JSON.stringify(sent))) await readMore();
    for (const delivery of found.toReversed().toSorted((one, other) => timeOf(one) - timeOf(other))) {
      const text = JSON.stringify(delivery.sent);
      const id = idOf(delivery.value);
      if (seen.get(id) === text) continue;
      seen.set(id, text);
      // A service may ignore the filter.
      const isHidden = !matchesFilter(filter)(delivery.value);
      if (!isHidden) yield delivery;
      else if (!hidesSome) printMessage(context, `warning: ${describeHidden(DELIVERIES)}`);
      hidesSome ||= isHidden;
    }
  }
}

/** The interface does not show the order of lists (§4), nor the format of times (§2). */
const timeOf = ({ value: { createdAt } }: ListItem): number => parseTimestamp(String(createdAt)) ?? 0;

type Columns = readonly ListColumn<ServiceRecord>[];

/** The columns that programs get, also in a pipe. */
const DELIVERY_COLUMNS: Columns = [
  { name: "id", isId: true },
  ...hiddenColumns("eventType", "status", "attemptCount", "lastResponseStatus", "nextAttemptAt", "createdAt"),
  ...hiddenColumns("endpointId", "lastError", "lastAttemptAt", "deliveredAt"),
];

/** What a table shows beyond the records of the list. */
interface TableFacts {
  now: number;
  /** The labels of the endpoints by their ids. */
  labels: ReadonlyMap<unknown, unknown>;
}

async function readTableFacts(context: Context, service: Service, facts: TableFacts): Promise<void> {
  facts.now = await readServiceTime(context, service);
  const endpoints = (await tryList(service, service.operations.webhooks.endpoints)) ?? [];
  facts.labels = new Map(endpoints.map(({ id, label }) => [id, label]));
}

const createTableColumns = (facts: TableFacts): Columns => [
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
const createWatchColumns = (facts: TableFacts): Columns =>
  [
    { name: "lastAttemptAt", title: "time", display: readClockTime },
    ...createTableColumns(facts).filter(({ name }) => name !== "createdAt"),
  ].map((column): ListColumn<ServiceRecord> => ({ ...column, width: WIDTHS[column.name] ?? 36 }));

/** `06:43:12`, UTC. What is no time stays as it is. */
function readClockTime({ lastAttemptAt, createdAt }: ServiceRecord): string {
  const at = String(lastAttemptAt ?? createdAt ?? "");
  const time = parseTimestamp(at);
  return time === null ? at : formatTimeOfDay(new Date(time).toISOString());
}
