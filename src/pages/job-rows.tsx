import { GRADES, ROUTES } from "../domain/diligence/classify.ts";
import { labelCode, labelRoute } from "../domain/labels.ts";
import { formatDollars } from "../domain/numbers.ts";
import { Chips, NextPage } from "./filters.tsx";
import { Section, Table } from "./parts.tsx";

export const ROW_KINDS = ["rejected", "deferred", "accepted"] as const;

export type RowKind = (typeof ROW_KINDS)[number];

/** One page of the rows of one kind. */
export interface JobRows {
  readonly kind: RowKind;
  readonly counts: Readonly<Record<RowKind, number>>;
  /** The entries that were accepted, also those that are deferred. */
  readonly accepted: readonly {
    readonly line: number;
    readonly entryNumber: string;
    readonly route: string;
    readonly grade: string;
    readonly classification: string;
    readonly ieepaDutyCents: number;
  }[];
  readonly rejected: readonly {
    readonly line: number;
    readonly entryNumber: string | null;
    readonly code: string;
    readonly column: string;
    readonly detail: string;
  }[];
  /** The codes of all rejected rows. */
  readonly codes: readonly string[];
  /** The line behind which the next page begins; null on the last page. */
  readonly after: number | null;
}

const ANCHOR = "#rows";

export const Rows = ({ rows }: { readonly rows: JobRows }) => (
  <Section title="Rows" id="rows">
    <div class="filters">
      <Chips
        label="Kind of row"
        name="rows"
        anchor={ANCHOR}
        resets={["route", "grade", "code"]}
        values={ROW_KINDS.filter((kind) => kind !== "deferred" || rows.counts.deferred > 0)}
        counts={rows.counts}
        fallback={rows.kind}
      />
      {rows.kind === "rejected" ? (
        <Chips label="Reason" name="code" anchor={ANCHOR} all="All reasons" values={rows.codes} />
      ) : (
        <>
          <Chips
            label="Route"
            name="route"
            anchor={ANCHOR}
            all="All routes"
            values={ROUTES}
            format={labelRoute}
          />
          <Chips label="Grade" name="grade" anchor={ANCHOR} all="All grades" values={GRADES} />
        </>
      )}
    </div>
    {rows.kind === "rejected" ? <Rejected rows={rows} /> : <Accepted rows={rows} />}
    <NextPage name="after" value={rows.after} text="More rows" anchor={ANCHOR} />
  </Section>
);

const Rejected = ({ rows }: { readonly rows: JobRows }) => (
  <Table
    label="Rejected rows"
    emptyMessage="None. The report has the reasons: they are here when the job has ended."
    columns={[
      { name: "Line", class: "number" },
      "Entry",
      { name: "Column", class: "names" },
      { name: "Reason", class: "words" },
      "Code",
    ]}
    rows={rows.rejected.map(({ line, entryNumber, column, detail, code }) => ({
      key: `${line} ${column} ${code}`,
      cells: [line, entryNumber ?? "–", <code>{column}</code>, detail, <code>{code}</code>],
    }))}
  />
);

const Accepted = ({ rows }: { readonly rows: JobRows }) => (
  <Table
    label="Accepted rows"
    emptyMessage="There is no such row."
    columns={[
      { name: "Line", class: "number" },
      "Entry",
      "Route",
      "Grade",
      { name: "Why", class: "words" },
      { name: "IEEPA duty", class: "number" },
    ]}
    rows={rows.accepted.map(({ line, entryNumber, route, grade, classification, ieepaDutyCents }) => ({
      key: line,
      cells: [
        line,
        entryNumber,
        labelRoute(route),
        grade,
        labelCode(classification),
        formatDollars(ieepaDutyCents),
      ],
    }))}
  />
);
