import type { ComponentChildren, VNode } from "preact";
import { formatDollars, formatThousands } from "../../../src/domain/numbers.ts";
import { Section, SubjectLink, Table, Time } from "../../../src/pages/parts.tsx";
import type { Engine } from "../../engine/engine.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import { formatTime } from "../../engine/scheduler/clock.ts";
import { CLAIMS, OFFERS } from "../../store/claims.ts";
import { CLIENTS } from "../../store/clients.ts";
import { NOTIFICATIONS } from "../../store/notifications.ts";
import { listLatestOrganizations, ORGANIZATIONS } from "../../store/organizations.ts";
import { SCANS } from "../../store/scans.ts";
import type { Store } from "../../store/store.ts";
import type { Table as StoreTable } from "../../store/table.ts";

const MAX_RECORDS = 50;

export const renderRecordsPage = ({ store }: Engine): VNode => (
  <>
    <h1>Records</h1>
    {renderRecords(store, "Clients", CLIENTS, ["name", "reference", "environment", "createdAt"])}
    {renderRecords(store, "Claims", CLAIMS, [
      "clientId",
      "jobId",
      "status",
      "entryCount",
      "estimatedClaimCents",
      "createdAt",
    ])}
    {renderRecords(store, "Offers", OFFERS, ["claimId", "status", "advanceCents", "feeCents", "createdAt"])}
    {renderRecords(store, "Scans", SCANS, ["state", "mode", "baseline", "jobs", "createdAt"])}
    {renderRecords(store, "Notifications", NOTIFICATIONS, ["recipient", "subject", "job", "createdAt"])}
    {renderRecords(store, "Organizations", ORGANIZATIONS, ORGANIZATION_FIELDS, listLatestOrganizations)}
  </>
);

const ORGANIZATION_FIELDS = [
  "name",
  "contactName",
  "contactEmail",
  "countryCode",
  "environment",
  "onboardedAt",
] as const;

/** @param list the latest ones of every partner and environment */
function renderRecords<Row extends { readonly id: string }>(
  store: Store,
  name: string,
  table: StoreTable<Row, never>,
  fields: readonly (keyof Row & string)[],
  list = (_: Store, limit: number): readonly Row[] => table.list(store, {}, { before: null, limit }),
): VNode {
  const rows = redactModel(list(store, MAX_RECORDS));
  const total = table.sum(store, {}).count;
  const part = name.toLowerCase();
  return (
    <Section
      id={part}
      live={part}
      title={name}
      note={total > rows.length ? `The latest ${rows.length} of ${formatThousands(total)}.` : null}
    >
      <Table
        label={name}
        emptyMessage="None."
        columns={["Id", ...fields.map(toHeading)]}
        rows={rows.map((row) => [
          <code id={`record-${row.id}`}>{row.id}</code>,
          ...fields.map((field) => renderValue(field, row[field])),
        ])}
      />
    </Section>
  );
}

/** `estimatedClaimCents` is `Estimated claim`. */
const toHeading = (field: string): string =>
  field
    .replace(/(At|Cents|Id)$/, "")
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/^./, (letter) => letter.toUpperCase());

/** The name of a field, and the type of its value, say what it is. */
function renderValue(field: string, value: unknown): ComponentChildren {
  if (value === null) return "–";
  if (field === "job" || field === "baseline" || field.endsWith("Id")) return renderReference(field, value);
  if (Array.isArray(value)) return formatThousands(value.length);
  if (typeof value === "number") return renderNumber(field, value);
  return field === "status" ? String(value).replaceAll("_", " ") : String(value);
}

function renderReference(field: string, id: unknown): ComponentChildren {
  const kind = field.startsWith("job") ? "job" : "record";
  return (
    <SubjectLink subject={{ kind, id: String(id) }}>
      <code>{String(id).slice(0, 8)}</code>
    </SubjectLink>
  );
}

function renderNumber(field: string, value: number): ComponentChildren {
  if (field.endsWith("At")) return <Time at={formatTime(value)} />;
  if (field.endsWith("Cents")) return formatDollars(value);
  return formatThousands(value);
}
