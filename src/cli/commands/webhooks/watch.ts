import type { Context } from "../../context.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { type Column, list, type Output } from "../../output/output.ts";
import { type Item, idOf, itemsIn } from "../../paged-list.ts";
import type { Service } from "../../service.ts";
import { DELIVERIES, type DeliveryFilter, deliveryColumns, deliveryPages, isOneOf } from "./delivery-list.ts";
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
  { ndjson, csv, quiet, fields }: GlobalOptions,
  { limit = SHOWN, ...filter }: DeliveryFilter,
): Output {
  const columns = deliveryColumns({ now: 0, isSandbox: false });
  const { isTerminal, columns: width } = context.stdout;
  // What is wider than a line cannot be drawn over.
  const isTable = isTerminal && width > 0 && !ndjson && !csv && !quiet && !fields;
  const looks = newest(context, service, { ...filter, limit });
  if (!isTable)
    return list<Item>({ items: changes(looks), columns: columns.map(fixed), idOf, empty: "nothing changed" });
  return { kind: "stream", body: liveTable(context, tables(context, service, looks)) };
}

/** On a terminal a table waits for its last row, which never comes, unless every column has its width. */
const fixed = <T>(column: Column<T>): Column<T> => ({ ...column, width: 36 });

/** The newest deliveries, again and again. */
async function* newest(
  { sleep, signal }: Context,
  service: Service,
  filter: DeliveryFilter,
): AsyncGenerator<readonly Item[]> {
  for (;;) {
    for await (const page of deliveryPages(service, filter)) {
      yield itemsIn(page, DELIVERIES).filter(isOneOf(filter)).slice(0, filter.limit);
      break;
    }
    await sleep(PAUSE, signal);
  }
}

/** Each delivery that is new or not as it was, the oldest first. */
async function* changes(looks: AsyncIterable<readonly Item[]>): AsyncGenerator<Item> {
  const seen = new Map<string | null, string>();
  for await (const look of looks)
    for (const delivery of look.toReversed()) {
      const text = JSON.stringify(delivery);
      if (seen.get(idOf(delivery)) === text) continue;
      seen.set(idOf(delivery), text);
      yield delivery;
    }
}

async function* tables(context: Context, { connection }: Service, looks: AsyncIterable<readonly Item[]>) {
  for await (const items of looks) {
    yield {
      items,
      columns: deliveryColumns(await clockOf(context, connection.baseUrl)),
      empty: "no delivery yet",
    };
  }
}
