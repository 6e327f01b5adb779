import type { VNode } from "preact";
import type { Delivery } from "../../../src/contract/operations/webhooks.ts";
import { formatAge } from "../../../src/domain/times.ts";
import { DELIVERY_STATES } from "../../../src/domain/webhooks/deliveries.ts";
import { Chips, NextPage, Search } from "../../../src/pages/filters.tsx";
import { Badge, Section, SubjectLink, Table, Time } from "../../../src/pages/parts.tsx";
import { changeQuery, useSite } from "../../../src/pages/site.ts";
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

export const DELIVERY_TONES = { queued: "due", delivered: "ok", retrying: "warn", failed: "bad" } as const;

/** The latest deliveries of every partner. */
export function renderDeliveriesPage(engine: Engine, query: URLSearchParams): VNode {
  const { store } = engine;
  const only = ENDPOINTS.find(store, { id: query.get("endpoint") ?? "" });
  const filter = { status: readChoice(query, "status", DELIVERY_STATES), endpointId: only?.id };
  const page = { before: readPlace(query, "before"), limit: PAGE_SIZE + 1 };
  const text = readSearch(query);
  const found =
    text === "" ? listLatestDeliveries(store, filter, page) : searchDeliveries(store, filter, text, page);
  const shown = found.slice(0, PAGE_SIZE);
  const all = toDeliveryLines(engine, shown);
  const { lines, endpoint } = redactModel({
    lines: isFolded(query) ? foldFailures(all) : all,
    endpoint: only ? { id: only.id, label: only.label } : null,
  });
  const counts = countDeliveries(store);
  return (
    <>
      <h1>Deliveries</h1>
      <div class="filters">
        <Chips label="Status" name="status" all="All" values={DELIVERY_STATES} counts={counts} />
        {endpoint && (
          <Chips
            label="Endpoint"
            name="endpoint"
            all="All endpoints"
            values={[endpoint.id]}
            format={() => endpoint.label}
          />
        )}
        <Search label="Event, error or id" />
      </div>
      <Section live="deliveries">
        <DeliveryTable lines={lines} />
      </Section>
      <NextPage
        name="before"
        value={found.length > PAGE_SIZE ? (shown.at(-1)?.seq ?? null) : null}
        text="Older deliveries"
      />
    </>
  );
}

/** A delivery, or several in a row to one endpoint that failed alike. */
interface DeliveryLine {
  readonly delivery: Delivery;
  readonly endpointLabel: string;
  /** With the time of the first one: RFC 3339. */
  readonly repeats?: { readonly count: number; readonly since: string };
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

export function DeliveryTable({ lines }: { readonly lines: readonly DeliveryLine[] }) {
  const { now } = useSite();
  return (
    <Table
      label="Deliveries"
      emptyMessage="There is no such delivery. claims sandbox emit partner.test makes one."
      columns={["Status", "Event", "Endpoint", "Attempts", "Last response", "Created", "Age"]}
      numbers={["Attempts"]}
      names={["Event"]}
      words={["Last response"]}
      rows={lines.map((line) => ({
        key: line.delivery.id,
        cells: [
          <Badge tone={DELIVERY_TONES[line.delivery.status]}>{line.delivery.status}</Badge>,
          <SubjectLink subject={{ kind: "delivery", id: line.delivery.id }}>
            {line.delivery.eventType}
          </SubjectLink>,
          <SubjectLink subject={{ kind: "endpoint", id: line.delivery.endpointId }}>
            {line.endpointLabel}
          </SubjectLink>,
          line.delivery.attemptCount,
          <LastResponse line={line} />,
          <Time at={line.delivery.createdAt} isFull />,
          formatAge(Date.parse(now) - Date.parse(line.delivery.createdAt)),
        ],
      }))}
    />
  );
}

function LastResponse({ line: { delivery, repeats } }: { readonly line: DeliveryLine }) {
  const { here, links } = useSite();
  const { lastError, lastResponseStatus } = delivery;
  const result = lastResponseStatus ?? lastError ?? "no attempt yet";
  if (!repeats) return <>{result}</>;
  return (
    <>
      <b>{repeats.count} ×</b> {result} since <Time at={repeats.since} isFull />{" "}
      <a href={links.action(changeQuery(here, { fold: "no" }))}>Show each of them</a>
    </>
  );
}
