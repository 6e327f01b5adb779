import { ClaimsError, usageError } from "../../../../domain/errors.ts";
import { DELIVERY_STATES } from "../../../../domain/webhooks/deliveries.ts";
import { isDryRun, openService, type Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { command } from "../../../framework/command.ts";
import { findFiniteFormat, type GlobalOptions } from "../../../framework/options.ts";
import { type ListColumn, type Output, toListOutput } from "../../../output/output.ts";
import {
  idOf,
  pagingOptions,
  parseItems,
  type ServiceRecord,
  toPagedList,
} from "../../../records/paged-list.ts";
import { findControl } from "../../../sandbox-control/control.ts";
import {
  DELIVERIES,
  type DeliveryListFilter,
  deliveryColumns,
  filterFields,
  listDeliveries,
  matchesDeliveryFilter,
  sortOldestFirst,
} from "./delivery-list.ts";

export const deliveriesList = command({
  name: "deliveries",
  summary: "list webhook deliveries, newest first, or watch them",
  remote: "reads",
  output: "list",
  operation: ({ webhooks }) => webhooks.deliveries,
  options: {
    endpoint: { value: "endpoint", help: "only deliveries to this endpoint" },
    status: { value: "status", choices: DELIVERY_STATES, help: "only deliveries in this state" },
    event: { value: "event", help: "only deliveries of this event, such as partner.test" },
    watch: { help: "show each change until Ctrl-C" },
    ...pagingOptions,
  },
  examples: [
    "claims webhooks deliveries",
    "claims webhooks deliveries --endpoint 4b1f… --status failed --all -q",
    "claims webhooks deliveries --watch",
    "claims webhooks deliveries --watch --ndjson | jq -c '[.id, .status, .attemptCount]'",
  ],
  async run(context, call) {
    const { global, options } = call;
    if (options.watch) refuseFiniteFormats(context, global, options.all);
    const service = await openService(context, call);
    if (options.watch) return watchDeliveries(context, service, options);
    // Only the output for people shows the time until the next attempt.
    const showsTime = context.stdout.isTerminal && !isDryRun(global);
    const now = showsTime ? await readServiceTime(context, service) : context.now();
    return toPagedList(context, listDeliveries(service, options), call, {
      operation: service.operations.webhooks.deliveries,
      noun: DELIVERIES,
      columns: deliveryColumns(now),
      emptyMessage: "no delivery yet; `claims webhooks test partner.test` sends one",
      filter: filterFields(options),
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

/** A table shows rows as they arrive only with fixed widths; 36 is that of an id. */
const WIDTHS: Readonly<Record<string, number>> = {
  id: 36,
  eventType: 28,
  status: 9,
  attemptCount: 5,
  lastResponseStatus: 8,
};

const watchDeliveries = (context: Context, service: Service, filter: DeliveryListFilter): Output =>
  toListOutput({
    items: streamChanges(context, service, filter),
    columns: deliveryColumns(context.now()).map(
      ({ display: _, ...column }): ListColumn<ServiceRecord> => ({
        ...column,
        width: WIDTHS[column.name] ?? 36,
      }),
    ),
    idOf,
    isLive: true,
    emptyMessage: "nothing changed",
  });

/** Yields the newest deliveries once a second, also after an outage of the service. */
async function* pollDeliveries(
  { sleep, signal }: Context,
  service: Service,
  filter: DeliveryListFilter,
  isLastPage: (page: readonly ServiceRecord[]) => boolean,
): AsyncGenerator<readonly ServiceRecord[]> {
  const poll = async () => {
    const found: ServiceRecord[] = [];
    for await (const page of listDeliveries(service, filter)) {
      const items = parseItems(page, DELIVERIES);
      for (const item of items) found.push(item);
      if (isLastPage(items)) break;
    }
    return found;
  };
  for (;;) {
    yield await service.client.outlast(poll, Number.POSITIVE_INFINITY);
    await sleep(POLL_INTERVAL_MS, signal);
  }
}

/** Yields each new or changed delivery, oldest first. Reads the first page, and more while all deliveries are new. */
async function* streamChanges(context: Context, service: Service, filter: DeliveryListFilter) {
  const seen = new Map<string | null, string>();
  const isLastPage = (page: readonly ServiceRecord[]) =>
    seen.size === 0 || page.some((item) => seen.has(idOf(item)));
  for await (const found of pollDeliveries(context, service, filter, isLastPage))
    for (const delivery of sortOldestFirst(found)) {
      const text = JSON.stringify(delivery);
      if (seen.get(idOf(delivery)) === text) continue;
      seen.set(idOf(delivery), text);
      if (matchesDeliveryFilter(filter)(delivery)) yield delivery;
    }
}

/**
 * Milliseconds since 1970 by the clock of the service: a sandbox can have a frozen clock, or one ahead of the real time.
 */
async function readServiceTime(context: Context, { connection }: Service): Promise<number> {
  const control = await findControl(context, connection.baseUrl);
  try {
    if (control) {
      const { now } = await control.send("GET /clock", "now");
      return Date.parse(now);
    }
  } catch (error) {
    // The time is shown with a list, which must not fail because of it.
    if (!(error instanceof ClaimsError) || error.kind === "interrupted") throw error;
  }
  return context.now();
}
