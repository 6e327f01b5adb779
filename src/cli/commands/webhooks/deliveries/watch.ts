import type { Context } from "../../../context.ts";
import type { GlobalOptions } from "../../../global-options.ts";
import { type Column, list, type Output } from "../../../output/output.ts";
import { type Item, idOf, itemsIn } from "../../../paged-list.ts";
import type { Service } from "../../../service.ts";
import { oldestFirst } from "./in-order.ts";
import { DELIVERIES, type DeliveryFilter, deliveryColumns, deliveryPages, isOneOf } from "./listed.ts";
import { liveTable } from "./live-table.ts";
import { clockOf } from "./sandbox-clock.ts";

/** Milliseconds between two looks. */
const PAUSE = 1_000;

/** More lines than this would push the terminal's own content away. */
const SHOWN = 15;

/** The newest deliveries: a table that is drawn anew for a person, and otherwise a line for each that has changed. */
export function watchDeliveries(
  context: Context,
  service: Service,
  { ndjson, csv, quiet }: GlobalOptions,
  filter: DeliveryFilter,
): Output {
  const { isTerminal, columns: width } = context.stdout;
  // What is wider than a line cannot be drawn over.
  if (isTerminal && width > 0 && !ndjson && !csv && !quiet)
    return { kind: "stream", isDrawn: true, body: liveTable(context, tables(context, service, filter)) };
  return list<Item>({
    items: changes(context, service, filter),
    columns: deliveryColumns(context.now()).map(asItComes),
    idOf,
    empty: "nothing changed",
  });
}

/** As programs read it; a table for a person waits for its last row, which never comes, unless every column has its width. */
const asItComes = <T>({ shown: _, ...column }: Column<T>): Column<T> => ({ ...column, width: 36 });

/**
 * The newest deliveries, again and again.
 *
 * @param isEnough whether no further page is wanted after this one
 */
async function* looks(
  { sleep, signal }: Context,
  service: Service,
  filter: DeliveryFilter,
  isEnough: (page: readonly Item[]) => boolean,
): AsyncGenerator<readonly Item[]> {
  for (;;) {
    const found: Item[] = [];
    for await (const page of deliveryPages(service, filter)) {
      const items = itemsIn(page, DELIVERIES);
      found.push(...items);
      if (isEnough(items)) break;
    }
    yield found;
    await sleep(PAUSE, signal);
  }
}

/** Each delivery that is new or not as it was, the oldest first: of the first page, and as far back as all are new. */
async function* changes(context: Context, service: Service, filter: DeliveryFilter): AsyncGenerator<Item> {
  const seen = new Map<string | null, string>();
  const isEnough = (page: readonly Item[]) => seen.size === 0 || page.some((item) => seen.has(idOf(item)));
  for await (const found of looks(context, service, filter, isEnough))
    for (const delivery of oldestFirst(found)) {
      const text = JSON.stringify(delivery);
      if (seen.get(idOf(delivery)) === text) continue;
      seen.set(idOf(delivery), text);
      if (isOneOf(filter)(delivery)) yield delivery;
    }
}

async function* tables(context: Context, service: Service, filter: DeliveryFilter) {
  const { limit = SHOWN } = filter;
  for await (const found of looks(context, service, filter, () => true))
    yield {
      items: oldestFirst(found).filter(isOneOf(filter)).toReversed().slice(0, limit),
      columns: deliveryColumns(await clockOf(context, service.connection.baseUrl)),
      empty: "no delivery yet",
    };
}
