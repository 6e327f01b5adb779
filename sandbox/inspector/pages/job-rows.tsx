import type { DiligenceReport } from "../../../src/domain/diligence/assessment.ts";
import { GRADES, ROUTES } from "../../../src/domain/diligence/classify.ts";
import { createClassifier } from "../../../src/domain/diligence/entry-classifier.ts";
import { labelCode, labelRoute } from "../../../src/domain/labels.ts";
import { formatDollars } from "../../../src/domain/numbers.ts";
import { Chips, NextPage } from "../../../src/pages/filters.tsx";
import { Section, Table } from "../../../src/pages/parts.tsx";
import type { Engine } from "../../engine/engine.ts";
import { toJob } from "../../engine/jobs/to-job.ts";
import { readAcceptedEntries } from "../../store/entry-pages.ts";
import type { JobRow } from "../../store/jobs.ts";
import { readChoice, readPlace } from "../query.ts";

const ROWS_PER_PAGE = 50;

const ROW_KINDS = ["rejected", "deferred", "accepted"] as const;

/** One page of the rows of one kind; `after` is the line behind which the next one begins. */
type JobRows = ReturnType<typeof readRows>;

/** The page of a job's rows that a query asks for. */
export function readRows(
  engine: Engine,
  job: JobRow,
  report: DiligenceReport | null,
  query: URLSearchParams,
) {
  const { entriesAccepted, entriesRejected } = toJob(job).progress;
  const counts = {
    accepted: entriesAccepted,
    rejected: entriesRejected,
    deferred: report?.totals.entriesDeferred ?? 0,
  };
  const after = readPlace(query, "after") ?? 0;
  const all = listErrors(report?.rejections ?? []);
  // The report has the reasons of the rejections.
  const isKnown = { rejected: all.length > 0, deferred: counts.deferred > 0, accepted: true };
  const kind = readChoice(query, "rows", ROW_KINDS) ?? ROW_KINDS.find((each) => isKnown[each]) ?? "accepted";
  const codes = [...new Set(all.map(({ code }) => code))].sort();
  if (kind === "rejected") {
    const code = readChoice(query, "code", codes);
    const { rows: rejected, next } = pageRejectedRows(all, code, after);
    return { kind, counts, codes, accepted: [], rejected, after: next };
  }
  const filter = {
    deferred: kind === "deferred",
    route: readChoice(query, "route", ROUTES) ?? null,
    grade: readChoice(query, "grade", GRADES) ?? null,
    after,
  };
  const { rows, next } = listAcceptedRows(engine, job, filter);
  return { kind, counts, codes, accepted: rows, rejected: [], after: next };
}

interface RowFilter {
  readonly deferred: boolean;
  readonly route: string | null;
  readonly grade: string | null;
  /** Only the rows behind this line of the file. */
  readonly after: number;
}

/** Entries that one page looks at: a filter may match none of a million. */
const MAX_ENTRIES_READ = 5_000;

/** Rows of a job in the order of the file. */
function listAcceptedRows(
  { store }: Engine,
  { seq, asOf, state }: JobRow,
  { deferred, route, grade, after }: RowFilter,
) {
  const classify = createClassifier(asOf);
  const rows = [];
  let read = 0;
  for (const page of readAcceptedEntries(store, seq, after))
    for (const accepted of page) {
      const { entry } = accepted;
      if (rows.length === ROWS_PER_PAGE || read === MAX_ENTRIES_READ) return { rows, next: entry.line - 1 };
      read += 1;
      const classified = classify(entry);
      // A resumed job has accepted what it deferred.
      const isDeferred = accepted.deferred && state !== "completed";
      const isShown =
        isDeferred === deferred &&
        (route === null || classified.route === route) &&
        (grade === null || classified.grade === grade);
      if (!isShown) continue;
      rows.push({
        line: entry.line,
        entryNumber: entry.entryNumber,
        route: classified.route,
        grade: classified.grade,
        classification: classified.classification,
        ieepaDutyCents: entry.ieepaDutyCents,
      });
    }
  return { rows, next: null };
}

/** Each error of each rejected entry. */
const listErrors = (rejections: DiligenceReport["rejections"]) =>
  rejections.flatMap(({ entryNumber, errors }) => errors.map((error) => ({ ...error, entryNumber })));

/** All errors of a line are on one page, which may thus be a little longer. */
function pageRejectedRows(all: ReturnType<typeof listErrors>, code: string | undefined, after: number) {
  const rest = all.filter((row) => row.line > after && (code === undefined || row.code === code));
  const last = rest[ROWS_PER_PAGE - 1]?.line;
  const rows =
    last === undefined ? rest : rest.filter(({ line }, index) => index < ROWS_PER_PAGE || line === last);
  return { rows, next: rest.length > rows.length ? (rows.at(-1)?.line ?? null) : null };
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
    columns={["Line", "Entry", "Column", "Reason", "Code"]}
    numbers={["Line"]}
    names={["Column"]}
    words={["Reason"]}
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
    columns={["Line", "Entry", "Route", "Grade", "Why", "IEEPA duty"]}
    numbers={["Line", "IEEPA duty"]}
    words={["Why"]}
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
