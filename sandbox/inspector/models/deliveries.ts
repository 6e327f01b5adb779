import { DELIVERY_STATES } from "../../../src/domain/webhooks/deliveries.ts";
import type { DeliveriesModel } from "../../../src/pages/deliveries.tsx";
import type { Engine } from "../../engine/engine.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import { foldFailures, listLabelledDeliveries } from "../../library/list-deliveries.ts";
import { countDeliveries } from "../../store/deliveries.ts";
import { ENDPOINTS } from "../../store/endpoints.ts";
import { isFolded, readChoice, readPlace, readSearch } from "../query.ts";

/** Deliveries that one page looks at; folded, they are fewer lines. */
const PAGE_SIZE = 200;

export const readDeliveries = (engine: Engine, query: URLSearchParams): Promise<DeliveriesModel> =>
  engine.idle.whenSettled(() => {
    const endpoint = ENDPOINTS.find(engine.store, { id: query.get("endpoint") ?? "" });
    const filter = { status: readChoice(query, "status", DELIVERY_STATES), endpointId: endpoint?.id };
    const page = { before: readPlace(query, "before"), limit: PAGE_SIZE + 1 };
    const found = listLabelledDeliveries(engine, filter, readSearch(query), page);
    const shown = found.slice(0, PAGE_SIZE);
    return redactModel({
      lines: isFolded(query) ? foldFailures(shown) : shown,
      counts: countDeliveries(engine.store),
      before: found.length > PAGE_SIZE ? (shown.at(-1)?.seq ?? null) : null,
      endpoint: endpoint ? { id: endpoint.id, label: endpoint.label } : null,
    });
  });
