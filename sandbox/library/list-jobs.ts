import type { Job } from "../../src/contract/operations/diligence.ts";
import type { Grade, Route } from "../../src/domain/diligence/classify.ts";
import { createClassifier } from "../../src/domain/diligence/entry-classifier.ts";
import type { DiligenceReport } from "../../src/domain/diligence/report.ts";
import type { Engine } from "../engine/engine.ts";
import { toJob } from "../engine/jobs/to-job.ts";
import type { RecordedRequest } from "../engine/request-log/request-log.ts";
import { readAcceptedEntries } from "../store/entry-pages.ts";
import { type JobFilter, type JobRow, listLatestJobs } from "../store/jobs.ts";
import { readClaimCents } from "../store/reports.ts";
import type { PageRequest } from "../store/table.ts";

export interface ListedJob {
  readonly seq: number;
  readonly job: Job;
  /** A job without a report has null. */
  readonly claimCents: number | null;
}

/** The latest jobs of every partner. */
export const listJobs = (
  { store }: Engine,
  filter: JobFilter,
  text: string,
  page: PageRequest,
): ListedJob[] =>
  listLatestJobs(store, filter, text, page).map((row) => ({
    seq: row.seq,
    job: toJob(row),
    claimCents: readClaimCents(store, row.seq, row.state === "completed"),
  }));

/** An accepted entry as the list of a job's rows shows it. */
export interface AcceptedRow {
  readonly line: number;
  readonly entryNumber: string;
  readonly deferred: boolean;
  readonly route: Route;
  readonly grade: Grade;
  readonly classification: string;
  readonly ieepaDutyCents: number;
}

export interface RowFilter {
  readonly deferred: boolean;
  readonly route: string | null;
  readonly grade: string | null;
  /** Only the rows behind this line of the file. */
  readonly after: number;
}

export interface AcceptedRows {
  readonly rows: readonly AcceptedRow[];
  /** The line to continue behind; null at the end. */
  readonly next: number | null;
}

/** Entries that one page looks at: a filter may match none of a million. */
const MAX_ENTRIES_READ = 5_000;

/** Rows of a job in the order of the file. */
export function listAcceptedRows(
  { store }: Engine,
  { seq, asOf, state }: JobRow,
  { deferred, route, grade, after }: RowFilter,
  limit: number,
): AcceptedRows {
  const classify = createClassifier(asOf);
  const rows: AcceptedRow[] = [];
  let read = 0;
  for (const page of readAcceptedEntries(store, seq, after))
    for (const accepted of page) {
      const { entry } = accepted;
      if (rows.length === limit || read === MAX_ENTRIES_READ) return { rows, next: entry.line - 1 };
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
        deferred: isDeferred,
        route: classified.route,
        grade: classified.grade,
        classification: classified.classification,
        ieepaDutyCents: entry.ieepaDutyCents,
      });
    }
  return { rows, next: null };
}

export interface RejectedRow {
  readonly line: number;
  readonly entryNumber: string | null;
  readonly code: string;
  readonly column: string;
  readonly detail: string;
}

/** Each error of each rejected entry. */
export const listErrors = (rejections: DiligenceReport["rejections"]): RejectedRow[] =>
  rejections.flatMap(({ entryNumber, errors }) => errors.map((error) => ({ ...error, entryNumber })));

/** All errors of a line are on one page, which may thus be a little longer. */
export function pageRejectedRows(
  all: readonly RejectedRow[],
  { code, after }: { readonly code: string | undefined; readonly after: number },
  limit: number,
) {
  const rest = all.filter((row) => row.line > after && (code === undefined || row.code === code));
  const last = rest[limit - 1]?.line;
  const rows = last === undefined ? rest : rest.filter(({ line }, index) => index < limit || line === last);
  return { rows, next: rest.length > rows.length ? (rows.at(-1)?.line ?? null) : null };
}

/** The requests in the log that made a job or were about it, the newest last. */
export const listRequestsOfJob = ({ requestLog }: Engine, jobId: string): RecordedRequest[] =>
  requestLog
    .entries()
    .filter(
      ({ notes, result, target }) =>
        target.includes(jobId) ||
        (notes.operation === "diligence.submit" && readBody(result?.body ?? null).includes(jobId)),
    );

const readBody = (body: NonNullable<RecordedRequest["result"]>["body"]): string =>
  typeof body === "string" ? body : (body?.bytes().toString() ?? "");
