import type { ListItem } from "../../../../contract/mapping/list.ts";
import { usageError } from "../../../../domain/errors.ts";
import { DELIVERY_STATES } from "../../../../domain/webhooks/deliveries.ts";
import { parseTimestamp } from "../../../../domain/webhooks/timestamp.ts";
import { openService, type Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { command } from "../../../framework/command.ts";
import { findFiniteFormat, type GlobalOptions } from "../../../framework/options.ts";
import { hiddenColumns, type ListColumn, toListOutput } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import {
  describeHidden,
  idOf,
  matchesFilter,
  pagingOptions,
  requireItems,
  type ServiceRecord,
  toItemColumn,
  toPagedList,
} from "../../../records/paged-list.ts";

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
  summary: "list webhook deliveries, newest first, or watch them",
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
    const { endpoint: endpointId, status, event: eventType, limit } = options;
    const filter = { endpointId, status, eventType };
    const listPages = () => client.list(operations.webhooks.deliveries, { query: { ...filter, limit } });
    if (options.watch)
      return toListOutput({
        items: streamChanges(context, service, listPages, filter),
        columns: WATCH_COLUMNS.map((column) => toItemColumn(column)),
        toRecord: ({ value }) => value,
        toSent: ({ sent }) => sent,
        idOf: ({ value }) => idOf(value),
        isLive: true,
        emptyMessage: "nothing changed",
      });
    return toPagedList(context, service, listPages(), call, {
      operation: operations.webhooks.deliveries,
      noun: DELIVERIES,
      columns: DELIVERY_COLUMNS,
      emptyMessage: "no delivery yet; `claims webhooks test partner.test` sends one",
      filter,
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

const DELIVERY_COLUMNS: readonly ListColumn<ServiceRecord>[] = [
  { name: "id", isId: true },
  { name: "eventType", title: "event" },
  { name: "status" },
  { name: "attemptCount", title: "tries", align: "right" },
  { name: "lastResponseStatus", title: "response" },
  {
    name: "nextAttemptAt",
    title: "next try",
    isOptional: true,
    display: ({ nextAttemptAt }) => shortenTime(nextAttemptAt),
  },
  {
    name: "createdAt",
    title: "created",
    isWhole: true,
    isOptional: true,
    display: ({ createdAt }) => shortenTime(createdAt).replace(/:\d\dZ$/, "Z"),
  },
  ...hiddenColumns("endpointId"),
  { name: "lastError", title: "last error", canWrap: true, isOptional: true },
  ...hiddenColumns("lastAttemptAt", "deliveredAt"),
];

/** As in 11-20 08:15:03Z, for lack of space. What is no time stays as it is. */
function shortenTime(at: unknown): string {
  const time = parseTimestamp(String(at));
  if (time === null) return String(at ?? "");
  return `${new Date(time).toISOString().slice(5, 19).replace("T", " ")}Z`;
}

const POLL_INTERVAL_MS = 1_000;

/** A table shows rows as they arrive only with fixed widths; 36 is that of an id. */
const WIDTHS: Readonly<Record<string, number>> = {
  eventType: 28,
  status: 9,
  attemptCount: 5,
  lastResponseStatus: 8,
};

const WATCH_COLUMNS = DELIVERY_COLUMNS.map(
  ({ display: _, ...column }): ListColumn<ServiceRecord> => ({ ...column, width: WIDTHS[column.name] ?? 36 }),
);

/** Yields each new or changed delivery, oldest first, also after an outage of the service. */
async function* streamChanges(
  context: Context,
  { client, findInstance, findSandboxState }: Service,
  listPages: () => ReturnType<Service["client"]["list"]>,
  filter: ServiceRecord,
) {
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
    const found = await client.outlast(poll, Number.POSITIVE_INFINITY);
    const state = await findSandboxState();
    if (state && state.instanceId !== instance) {
      printMessage(context, "the state of the sandbox has changed: its deliveries begin again");
      instance = state.instanceId;
      seen.clear();
      // What was found may be of either state.
      continue;
    }
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
