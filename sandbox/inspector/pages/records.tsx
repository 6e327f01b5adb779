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

interface RecordList {
  readonly name: string;
  readonly fields: readonly string[];
  readonly count: (store: Store) => number;
  /** The latest ones of every partner and environment. */
  readonly list: (store: Store) => readonly { readonly id: string }[];
}

const recordList = <Row extends { readonly id: string }>(
  name: string,
  table: StoreTable<Row, never>,
  fields: readonly (keyof Row & string)[],
  list = (store: Store): readonly Row[] => table.list(store, {}, { before: null, limit: MAX_RECORDS }),
): RecordList => ({ name, fields, count: (store) => table.sum(store, {}).count, list });

const CLAIM_FIELDS = [
  "clientId",
  "jobId",
  "status",
  "entryCount",
  "estimatedClaimCents",
  "createdAt",
] as const;

const LISTS: readonly RecordList[] = [
  recordList("Clients", CLIENTS, ["name", "reference", "environment", "createdAt"]),
  recordList("Claims", CLAIMS, CLAIM_FIELDS),
  recordList("Offers", OFFERS, ["claimId", "status", "advanceCents", "feeCents", "createdAt"]),
  recordList("Scans", SCANS, ["state", "mode", "baseline", "jobs", "createdAt"]),
  recordList("Notifications", NOTIFICATIONS, ["recipient", "subject", "job", "createdAt"]),
  recordList(
    "Organizations",
    ORGANIZATIONS,
    ["name", "contactName", "contactEmail", "countryCode", "environment", "onboardedAt"],
    (store) => listLatestOrganizations(store, MAX_RECORDS),
  ),
];

export const renderRecordsPage = ({ store }: Engine): VNode => (
  <>
    <h1>Records</h1>
    {LISTS.map(({ name, fields, count, list }) => {
      const [rows, total] = [redactModel(list(store)), count(store)];
      return (
        <Section
          id={name.toLowerCase()}
          live={name.toLowerCase()}
          title={name}
          note={total > rows.length ? `The latest ${rows.length} of ${formatThousands(total)}.` : null}
        >
          <Table
            label={name}
            emptyMessage="None."
            columns={Object.fromEntries(["Id", ...fields.map(toHeading)].map((heading) => [heading, "text"]))}
            rows={rows.map((row) => [
              <code id={`record-${row.id}`}>{row.id}</code>,
              ...fields.map((field) => renderValue(field, row[field as never])),
            ])}
          />
        </Section>
      );
    })}
  </>
);

/** `estimatedClaimCents` is `Estimated claim`. */
const toHeading = (field: string): string =>
  field
    .replace(/(At|Cents|Id)$/, "")
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/^./, (letter) => letter.toUpperCase());

/** The name of a field says what its value is. */
function renderValue(field: string, value: unknown): ComponentChildren {
  if (value === null) return "–";
  if (field === "job" || field === "baseline" || field.endsWith("Id")) {
    const kind = field.startsWith("job") ? "job" : "record";
    return (
      <SubjectLink subject={{ kind, id: String(value) }}>
        <code>{String(value).slice(0, 8)}</code>
      </SubjectLink>
    );
  }
  if (Array.isArray(value)) return formatThousands(value.length);
  if (typeof value !== "number")
    return field === "status" ? String(value).replaceAll("_", " ") : String(value);
  if (field.endsWith("At")) return <Time at={formatTime(value)} />;
  return field.endsWith("Cents") ? formatDollars(value) : formatThousands(value);
}
