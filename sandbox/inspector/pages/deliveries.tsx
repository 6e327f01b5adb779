import type { VNode } from "preact";
import { formatAge } from "../../../src/domain/times.ts";
import { DELIVERY_STATES } from "../../../src/domain/webhooks/deliveries.ts";
import { Chips, NextPage, Search } from "../../../src/pages/filters.tsx";
import { Badge, Section, SubjectLink, Table, Time } from "../../../src/pages/parts.tsx";
import { changeQuery, useSite } from "../../../src/pages/site.ts";
import type { Engine } from "../../engine/engine.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import { formatTime } from "../../engine/scheduler/clock.ts";
import { toDelivery } from "../../engine/webhooks/records.ts";
import { DELIVERIES, type DeliveryRow } from "../../store/deliveries.ts";
import { ENDPOINTS } from "../../store/endpoints.ts";
import { groupRuns, isFolded, readChoice, readPlace, readSearch } from "../query.ts";

/** Deliveries that one page looks at; folded, they are fewer lines. */
const PAGE_SIZE = 200;

export const DELIVERY_TONES = { queued: "due", delivered: "ok", retrying: "warn", failed: "bad" } as const;

/** The latest deliveries of every partner. */
export function renderDeliveriesPage(engine: Engine, query: URLSearchParams): VNode {
  const { store } = engine;
  const only = ENDPOINTS.find(store, { id: query.get("endpoint") ?? "" });
  const filter = { status: readChoice(query, "status", DELIVERY_STATES), endpointId: only?.id };
  const page = { before: readPlace(query, "before"), limit: PAGE_SIZE };
  const { rows, hasMore } = DELIVERIES.page(store, filter, page, {
    text: readSearch(query),
    fields: ["eventType", "lastError", "id", "eventId", "endpointId"],
  });
  const counts = DELIVERIES.countBy(store, "status");
  const endpoint = redactModel(only ? { id: only.id, label: only.label } : null);
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
        <DeliveryTable lines={readDeliveryLines(engine, rows, isFolded(query))} />
      </Section>
      <NextPage name="before" value={hasMore ? (rows.at(-1)?.seq ?? null) : null} text="Older deliveries" />
    </>
  );
}

type DeliveryLine = ReturnType<typeof readDeliveryLines>[number];

/** A line for each delivery; folded, one for several in a row to one endpoint that failed in the same way: the latest. */
export function readDeliveryLines(
  { webhooks }: Engine,
  rows: readonly DeliveryRow[],
  foldsFailures: boolean,
) {
  const runs = groupRuns(rows, foldsFailures ? isSameFailure : () => false);
  return redactModel(
    runs.map((run) => {
      const [latest, oldest = latest] = [run[0], run.at(-1)];
      const { label } = webhooks.endpoint(latest.endpointId);
      const repeats = { count: run.length, since: formatTime(oldest.createdAt) };
      return { ...toDelivery(latest), endpointLabel: label, repeats };
    }),
  );
}

const isSameFailure = (one: DeliveryRow, other: DeliveryRow): boolean =>
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
      kinds={{ Event: "names", Attempts: "number", "Last response": "words" }}
      rows={lines.map((line) => [
        <Badge tone={DELIVERY_TONES[line.status]}>{line.status}</Badge>,
        <SubjectLink subject={{ kind: "delivery", id: line.id }}>{line.eventType}</SubjectLink>,
        <SubjectLink subject={{ kind: "endpoint", id: line.endpointId }}>{line.endpointLabel}</SubjectLink>,
        line.attemptCount,
        <LastResponse line={line} />,
        <Time at={line.createdAt} />,
        formatAge(Date.parse(now) - Date.parse(line.createdAt)),
      ])}
    />
  );
}

function LastResponse({ line: { lastError, lastResponseStatus, repeats } }: { readonly line: DeliveryLine }) {
  const { here, links } = useSite();
  const result = lastResponseStatus ?? lastError ?? "no attempt yet";
  if (repeats.count === 1) return <>{result}</>;
  return (
    <>
      <b>{repeats.count} ×</b> {result} since <Time at={repeats.since} />{" "}
      <a href={links.action(changeQuery(here, { fold: "no" }))}>Show each of them</a>
    </>
  );
}
