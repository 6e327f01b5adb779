import type { DiligenceReport } from "../../../src/domain/diligence/assessment.ts";
import { GRADES, ROUTES } from "../../../src/domain/diligence/classify.ts";
import { type ClassifiedEntry, createClassifier } from "../../../src/domain/diligence/entry-classifier.ts";
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

/** Entries that one page looks at: a filter may match none of a million. */
const MAX_ENTRIES_READ = 5_000;

const ROW_KINDS = ["rejected", "deferred", "accepted"] as const;

type JobRows = ReturnType<typeof readRows>;

/** The rows of one kind that a query asks for; `next` is the line behind which their next page begins. */
export function readRows(
  engine: Engine,
  job: JobRow,
  report: DiligenceReport | null,
  query: URLSearchParams,
) {
  const { entriesAccepted, entriesRejected } = toJob(job).progress;
  const deferred = report?.totals.entriesDeferred ?? 0;
  const counts = { accepted: entriesAccepted, rejected: entriesRejected, deferred };
  const afterLine = readPlace(query, "after") ?? 0;
  // The report has the reasons of the rejections: each error of each rejected entry.
  const errors = (report?.rejections ?? []).flatMap((rejection) =>
    rejection.errors.map((error) => ({ ...error, entryNumber: rejection.entryNumber })),
  );
  const codes = [...new Set(errors.map(({ code }) => code))].sort();
  const isKnown = { rejected: errors.length > 0, deferred: deferred > 0, accepted: true };
  const kind = readChoice(query, "rows", ROW_KINDS) ?? ROW_KINDS.find((each) => isKnown[each]) ?? "accepted";
  if (kind === "rejected") {
    const code = readChoice(query, "code", codes);
    const rest = errors.filter(
      (error) => error.line > afterLine && (code === undefined || error.code === code),
    );
    // All errors of a line are on one page, which may thus be a little longer.
    const last = rest[ROWS_PER_PAGE - 1]?.line;
    const rows = rest.filter(({ line }, index) => index < ROWS_PER_PAGE || line === last);
    const next = rest.length > rows.length ? (rows.at(-1)?.line ?? null) : null;
    return { kind, counts, codes, rows, next };
  }
  const [route, grade] = [readChoice(query, "route", ROUTES), readChoice(query, "grade", GRADES)];
  const page = readEntries(
    engine,
    job,
    afterLine,
    ({ isDeferred, ...entry }) =>
      isDeferred === (kind === "deferred") &&
      (route === undefined || entry.route === route) &&
      (grade === undefined || entry.grade === grade),
  );
  return { kind, counts, codes, ...page };
}

type AcceptedEntry = ClassifiedEntry & { readonly isDeferred: boolean };

/** Accepted rows behind a line, in the order of the file, and the line behind which the next page begins. */
function readEntries(
  { store }: Engine,
  { seq, asOf, state }: JobRow,
  afterLine: number,
  isShown: (entry: AcceptedEntry) => boolean,
) {
  const classify = createClassifier(asOf);
  const rows: AcceptedEntry[] = [];
  let readCount = 0;
  for (const page of readAcceptedEntries(store, seq, afterLine))
    for (const { entry, deferred } of page) {
      // This entry is the first one that the next page reads.
      if (rows.length === ROWS_PER_PAGE || readCount === MAX_ENTRIES_READ)
        return { rows, next: entry.line - 1 };
      readCount += 1;
      // A resumed job has accepted what it deferred.
      const classified = { ...classify(entry), isDeferred: deferred && state !== "completed" };
      if (isShown(classified)) rows.push(classified);
    }
  return { rows, next: null };
}

const ANCHOR = "#rows";

export const Rows = ({ rows: shown }: { readonly rows: JobRows }) => (
  <Section title="Rows" id="rows">
    <div class="filters">
      <Chips
        label="Kind of row"
        name="rows"
        anchor={ANCHOR}
        resets={["route", "grade", "code"]}
        values={ROW_KINDS.filter((kind) => kind !== "deferred" || shown.counts.deferred > 0)}
        counts={shown.counts}
        fallback={shown.kind}
      />
      {shown.kind === "rejected" ? (
        <Chips label="Reason" name="code" anchor={ANCHOR} all="All reasons" values={shown.codes} />
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
    {shown.kind === "rejected" ? (
      <Table
        label="Rejected rows"
        emptyMessage="None. The report has the reasons: they are here when the job has ended."
        columns={["Line", "Entry", "Column", "Reason", "Code"]}
        kinds={{ Line: "number", Column: "names", Reason: "words" }}
        rows={shown.rows.map(({ line, entryNumber, column, detail, code }) => [
          line,
          entryNumber ?? "–",
          <code>{column}</code>,
          detail,
          <code>{code}</code>,
        ])}
      />
    ) : (
      <Table
        label="Accepted rows"
        emptyMessage="There is no such row."
        columns={["Line", "Entry", "Route", "Grade", "Why", "IEEPA duty"]}
        kinds={{ Line: "number", Why: "words", "IEEPA duty": "number" }}
        rows={shown.rows.map(({ entry, route, grade, classification }) => [
          entry.line,
          entry.entryNumber,
          labelRoute(route),
          grade,
          labelCode(classification),
          formatDollars(entry.ieepaDutyCents),
        ])}
      />
    )}
    <NextPage name="after" value={shown.next} text="More rows" anchor={ANCHOR} />
  </Section>
);
