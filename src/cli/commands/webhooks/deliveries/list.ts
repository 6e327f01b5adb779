import { usageError } from "../../../../domain/errors.ts";
import { DELIVERY_STATES } from "../../../../domain/webhooks/deliveries.ts";
import { isDryRun, openService, type Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { command } from "../../../framework/command.ts";
import { findFiniteFormat, type GlobalOptions } from "../../../framework/options.ts";
import { shouldUseColour } from "../../../output/format.ts";
import { type ListColumn, type Output, toListOutput } from "../../../output/output.ts";
import {
  idOf,
  pagingOptions,
  parseItems,
  type ServiceRecord,
  toPagedList,
} from "../../../records/paged-list.ts";
import { readServiceTime } from "./control.ts";
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
    watch: { help: "show changes until Ctrl-C; in a pipe, one line for each" },
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
    if (options.watch) return watchDeliveries(context, service, global, options);
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

/** A longer table would scroll the terminal. */
const MAX_ROWS = 15;

/** The width of an id. */
const COLUMN_WIDTH = 36;

function watchDeliveries(
  context: Context,
  service: Service,
  { ndjson, csv, quiet, color }: GlobalOptions,
  filter: DeliveryListFilter,
): Output {
  const { isTerminal, columns: width } = context.stdout;
  // Without a width, a line can wrap, and then cannot be drawn over.
  if (isTerminal && width > 0 && !ndjson && !csv && !quiet)
    return { kind: "stream", isForTerminal: true, body: drawTables(context, service, filter, color) };
  return toListOutput({
    items: streamChanges(context, service, filter),
    // With fixed widths, a table shows rows as they arrive.
    columns: deliveryColumns(context.now()).map(
      ({ display: _, ...column }): ListColumn<ServiceRecord> => ({ ...column, width: COLUMN_WIDTH }),
    ),
    idOf,
    isLive: true,
    emptyMessage: "nothing changed",
  });
}

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

async function* drawTables(
  context: Context,
  service: Service,
  filter: DeliveryListFilter,
  flag: boolean | undefined,
) {
  const { renderTableLines, createListStyle, wrapAtSpaces } = await import("../../../output/blocks.ts");
  const { limit = MAX_ROWS } = filter;
  const { columns: width } = context.stdout;
  const colour = shouldUseColour({ flag, env: context.env, isTerminal: true });
  let before = "";
  let height = 0;
  for await (const found of pollDeliveries(context, service, filter, () => true)) {
    const newest = sortOldestFirst(found).filter(matchesDeliveryFilter(filter)).toReversed().slice(0, limit);
    const columns = deliveryColumns(await readServiceTime(context, service));
    const lines: string[] = [];
    let omitted = "";
    const style = {
      ...createListStyle(colour),
      width,
      onOmitted: (message: string) => {
        omitted = wrapAtSpaces(`${message}\n`, width).join("\n");
      },
    };
    for await (const line of renderTableLines(newest, columns, style)) lines.push(line);
    const table = lines.join("") + omitted || "no delivery yet\n";
    if (table === before) continue;
    // Moves up to the first line and erases everything below (ECMA-48 §8.3.22, §8.3.39).
    yield (height > 0 ? `\u001b[${height}A\u001b[J` : "") + table;
    before = table;
    height = table.split("\n").length - 1;
  }
}
