import { DELIVERY_STATES } from "../../../src/domain/webhooks/deliveries.ts";
import type { DeliveriesModel, DeliveryLine } from "../../../src/pages/deliveries.tsx";
import type { Engine } from "../../engine/engine.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import { toDelivery } from "../../engine/webhooks/records.ts";
import {
  countDeliveries,
  type DeliveryRow,
  listLatestDeliveries,
  searchDeliveries,
} from "../../store/deliveries.ts";
import { ENDPOINTS } from "../../store/endpoints.ts";
import { isFolded, readChoice, readPlace, readSearch } from "../query.ts";

/** Deliveries that one page looks at; folded, they are fewer lines. */
const PAGE_SIZE = 200;

/** The latest deliveries of every partner. */
export function readDeliveries(engine: Engine, query: URLSearchParams): DeliveriesModel {
  const { store } = engine;
  const endpoint = ENDPOINTS.find(store, { id: query.get("endpoint") ?? "" });
  const filter = { status: readChoice(query, "status", DELIVERY_STATES), endpointId: endpoint?.id };
  const page = { before: readPlace(query, "before"), limit: PAGE_SIZE + 1 };
  const text = readSearch(query);
  const found =
    text === "" ? listLatestDeliveries(store, filter, page) : searchDeliveries(store, filter, text, page);
  const shown = found.slice(0, PAGE_SIZE);
  const lines = toDeliveryLines(engine, shown);
  return redactModel({
    lines: isFolded(query) ? foldFailures(lines) : lines,
    counts: countDeliveries(store),
    before: found.length > PAGE_SIZE ? (shown.at(-1)?.seq ?? null) : null,
    endpoint: endpoint ? { id: endpoint.id, label: endpoint.label } : null,
  });
}

export function toDeliveryLines({ webhooks }: Engine, rows: readonly DeliveryRow[]): DeliveryLine[] {
  const labels = new Map<string, string>();
  return rows.map((row) => {
    const label = labels.get(row.endpointId) ?? webhooks.endpoint(row.endpointId).label;
    labels.set(row.endpointId, label);
    return { delivery: toDelivery(row), endpointLabel: label };
  });
}

/** Deliveries in a row to one endpoint that failed in the same way are one line: that of the latest. */
export function foldFailures(deliveries: readonly DeliveryLine[]): DeliveryLine[] {
  const lines: DeliveryLine[] = [];
  for (const each of deliveries) {
    const last = lines.at(-1);
    if (!last || !isSameFailure(last.delivery, each.delivery)) lines.push(each);
    else {
      const repeats = { count: (last.repeats?.count ?? 1) + 1, since: each.delivery.createdAt };
      lines[lines.length - 1] = { ...last, repeats };
    }
  }
  return lines;
}

const isSameFailure = (one: DeliveryLine["delivery"], other: DeliveryLine["delivery"]): boolean =>
  other.lastError !== null &&
  one.endpointId === other.endpointId &&
  one.status === other.status &&
  one.lastError === other.lastError;
