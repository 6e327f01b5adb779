import type { Delivery } from "../../src/contract/operations/webhooks.ts";
import type { Engine } from "../engine/engine.ts";
import { toDelivery } from "../engine/webhooks/records.ts";
import { type AttemptResult, listAttemptResults } from "../store/attempts.ts";
import { type DeliveryFilter, listLatestDeliveries, searchDeliveries } from "../store/deliveries.ts";
import type { PageRequest } from "../store/table.ts";

export interface LabelledDelivery {
  readonly seq: number;
  readonly delivery: Delivery;
  readonly endpointLabel: string;
  /** Of a line for several deliveries: how many, and when the first one was created (RFC 3339). */
  readonly repeats?: { readonly count: number; readonly since: string };
}

/** The latest deliveries of every partner. @param text empty for all */
export function listLabelledDeliveries(
  { store, webhooks }: Engine,
  filter: DeliveryFilter,
  text: string,
  page: PageRequest,
): LabelledDelivery[] {
  const rows =
    text === "" ? listLatestDeliveries(store, filter, page) : searchDeliveries(store, filter, text, page);
  const labels = new Map<string, string>();
  return rows.map((row) => {
    const label = labels.get(row.endpointId) ?? webhooks.endpoint(row.endpointId).label;
    labels.set(row.endpointId, label);
    return { seq: row.seq, delivery: toDelivery(row), endpointLabel: label };
  });
}

/** The attempts of the latest deliveries to an endpoint, the first one first. */
export const listEndpointAttempts = (
  { store }: Engine,
  endpointId: string,
  maxDeliveries: number,
): AttemptResult[] => listAttemptResults(store, endpointId, maxDeliveries);

/** Deliveries in a row to one endpoint that failed in the same way are one line: that of the latest. */
export function foldFailures(deliveries: readonly LabelledDelivery[]): LabelledDelivery[] {
  const lines: LabelledDelivery[] = [];
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

const isSameFailure = (one: Delivery, other: Delivery): boolean =>
  other.lastError !== null &&
  one.endpointId === other.endpointId &&
  one.status === other.status &&
  one.lastError === other.lastError;
