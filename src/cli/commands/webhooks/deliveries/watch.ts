import type { Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import type { GlobalOptions } from "../../../framework/options.ts";
import { type ListColumn, type Output, toListOutput } from "../../../output/output.ts";
import { idOf, parseItems, type ServiceRecord } from "../../../records/paged-list.ts";
import {
  DELIVERIES,
  type DeliveryListFilter,
  deliveryColumns,
  listDeliveries,
  matchesDeliveryFilter,
} from "./delivery-list.ts";
import { drawLiveTable } from "./live-table.ts";
import { readServiceTime } from "./sandbox-clock.ts";
import { sortOldestFirst } from "./sort.ts";

/** Milliseconds between two looks. */
const POLL_INTERVAL_MS = 1_000;

/** More lines than this would push the terminal's own content away. */
const MAX_ROWS = 15;

/** The newest deliveries: a table that is drawn anew for a person, and otherwise a line for each that has changed. */
export function watchDeliveries(
  context: Context,
  service: Service,
  { ndjson, csv, quiet }: GlobalOptions,
  filter: DeliveryListFilter,
): Output {
  const { isTerminal, columns: width } = context.stdout;
  // What is wider than a line cannot be drawn over.
  if (isTerminal && width > 0 && !ndjson && !csv && !quiet)
    return {
      kind: "stream",
      isForTerminal: true,
      body: drawLiveTable(context, streamTables(context, service, filter)),
    };
  return toListOutput<ServiceRecord>({
    items: streamChanges(context, service, filter),
    columns: deliveryColumns(context.now()).map(toFixedWidth),
    idOf,
    emptyMessage: "nothing changed",
  });
}

/** As programs read it; a table for a person waits for its last row, which never comes, unless every column has its width. */
const toFixedWidth = <T>({ display: _, ...column }: ListColumn<T>): ListColumn<T> => ({
  ...column,
  width: 36,
});

/**
 * The newest deliveries, again and again.
 *
 * @param isLastPage whether no further page is wanted after this one
 */
async function* pollDeliveries(
  { sleep, signal }: Context,
  service: Service,
  filter: DeliveryListFilter,
  isLastPage: (page: readonly ServiceRecord[]) => boolean,
): AsyncGenerator<readonly ServiceRecord[]> {
  for (;;) {
    const found: ServiceRecord[] = [];
    for await (const page of listDeliveries(service, filter)) {
      const items = parseItems(page, DELIVERIES);
      found.push(...items);
      if (isLastPage(items)) break;
    }
    yield found;
    await sleep(POLL_INTERVAL_MS, signal);
  }
}

/** Each delivery that is new or not as it was, the oldest first: of the first page, and as far back as all are new. */
async function* streamChanges(
  context: Context,
  service: Service,
  filter: DeliveryListFilter,
): AsyncGenerator<ServiceRecord> {
  const seen = new Map<string | null, string>();
  const isEnough = (page: readonly ServiceRecord[]) =>
    seen.size === 0 || page.some((item) => seen.has(idOf(item)));
  for await (const found of pollDeliveries(context, service, filter, isEnough))
    for (const delivery of sortOldestFirst(found)) {
      const text = JSON.stringify(delivery);
      if (seen.get(idOf(delivery)) === text) continue;
      seen.set(idOf(delivery), text);
      if (matchesDeliveryFilter(filter)(delivery)) yield delivery;
    }
}

async function* streamTables(context: Context, service: Service, filter: DeliveryListFilter) {
  const { limit = MAX_ROWS } = filter;
  for await (const found of pollDeliveries(context, service, filter, () => true))
    yield {
      items: sortOldestFirst(found).filter(matchesDeliveryFilter(filter)).toReversed().slice(0, limit),
      columns: deliveryColumns(await readServiceTime(context, service.connection.baseUrl)),
      empty: "no delivery yet",
    };
}
