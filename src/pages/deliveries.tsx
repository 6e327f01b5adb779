import type { Delivery } from "../contract/operations/webhooks.ts";
import { formatAge } from "../domain/times.ts";
import { DELIVERY_STATES } from "../domain/webhooks/deliveries.ts";
import { Chips, NextPage, Search } from "./filters.tsx";
import { Badge, Section, SubjectLink, Table, Time } from "./parts.tsx";
import { changeQuery, useSite } from "./site.ts";

/** A delivery, or several in a row to one endpoint that failed alike. */
export interface DeliveryLine {
  readonly delivery: Delivery;
  readonly endpointLabel: string;
  /** With the time of the first one: RFC 3339. */
  readonly repeats?: { readonly count: number; readonly since: string };
}

export interface DeliveriesModel {
  /** Newest first. */
  readonly lines: readonly DeliveryLine[];
  /** How many deliveries there are, by their status. */
  readonly counts: Readonly<Record<string, number>>;
  readonly before: number | null;
  /** The only endpoint that the list is about. */
  readonly endpoint: { readonly id: string; readonly label: string } | null;
}

export const DELIVERY_TONES = { queued: "due", delivered: "ok", retrying: "warn", failed: "bad" } as const;

export const Deliveries = ({ lines, counts, before, endpoint }: DeliveriesModel) => (
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
    <NextPage name="before" value={before} text="Older deliveries" />
  </>
);

export function DeliveryTable({ lines }: Pick<DeliveriesModel, "lines">) {
  const { now } = useSite();
  return (
    <Table
      label="Deliveries"
      emptyMessage="There is no such delivery. claims sandbox emit partner.test makes one."
      columns={[
        "Status",
        { name: "Event", class: "names" },
        "Endpoint",
        { name: "Attempts", class: "number" },
        { name: "Last response", class: "words" },
        "Created",
        "Age",
      ]}
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
