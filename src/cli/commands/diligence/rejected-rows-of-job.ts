import { stat } from "node:fs/promises";
import { type Day, parseIsoDay } from "../../../domain/entries/dates.ts";
import { EntryFileError } from "../../../domain/entries/entry-file-error.ts";
import type { RowReason } from "../../../domain/entries/rejected-csv.ts";
import { pickListedRows, pickRejectedRows } from "../../../domain/entries/rejected-rows.ts";
import { rejectedError } from "../../../domain/errors.ts";
import { isRecord, valueAt } from "../../../domain/json.ts";
import { formatCount, formatThousands } from "../../../domain/numbers.ts";
import type { Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import { hashFile, type InputFile, openInput } from "../../files/input-file.ts";
import type { BaseInvocation } from "../../framework/command.ts";
import { printMessage } from "../../output/stderr.ts";
import { readSubmissions } from "../../write-log/job-log.ts";
import { assessFile } from "./assess-file.ts";
import { toEntryFileFailure } from "./entry-file-failure.ts";
import type { JobResponse } from "./job.ts";
import { mapFile, repeatMapping } from "./mapped-file.ts";
import { checkRejectedCsvPath, writeRejectedCsv } from "./rejected-csv.ts";

interface RejectedRowsRequest {
  /** Of the CSV. */
  readonly path: string;
  /** The submitted file; default: found by its hash in the write log. */
  readonly source: string | undefined;
  readonly onEnd: BaseInvocation["onEnd"];
}

/**
 * Writes the rejected rows of a job from its source, as `check --rejected-csv` does. A report of an entry file lists the
 * rejected lines. Where it lists only the first of them, or entries of several rows (es003), the rows are classified again.
 * @throws ClaimsError `source_not_found`, also for another file, or a report that does not list the rows
 */
export async function writeRejectedRowsOfJob(
  context: Context,
  service: Service,
  { id, record }: JobResponse,
  { path, source: given, onEnd }: RejectedRowsRequest,
): Promise<void> {
  const { asOf, isComplete, layout, reasonsByLine, rejectedCount } = readRejections(id, record);
  const source = await findSource(context, service, id, given);
  onEnd(source.file.close);
  const paths = [source.file.path ?? "-", ...source.loggedPaths];
  await checkRejectedCsvPath(context, path, paths);
  const { mapping } = source;
  const { file, close } = await mapFile(context, source.file, mapping ? repeatMapping(mapping) : null);
  onEnd(close);
  const wrapErrors = async (error: unknown) => {
    throw error instanceof EntryFileError ? await toEntryFileFailure(file, error) : error;
  };
  if (isComplete && layout !== "es003") {
    const picker = pickListedRows(reasonsByLine, mapping);
    await writeRejectedCsv(context, file.chunks(), path, picker, (rows) => {
      if (rows < reasonsByLine.size) throw mismatchError(id, file, `it has ${rows} of the rejected rows`);
    }).catch(wrapErrors);
    return;
  }
  if (asOf === null) throw notListedError(id, "no asOf, for which its rows could be classified again");
  const listed = isComplete
    ? "entries, not rows"
    : `the first ${formatThousands(reasonsByLine.size)} of ${formatCount(rejectedCount, "rejected entry", "rejected entries")}`;
  printMessage(
    context,
    `the report lists ${listed}; classifying the rows of ${file.displayName} again, as of ${asOf.text}`,
  );
  const options = { asOf: asOf.day, sellerName: "", requiresProtestDocumentation: false };
  const { report, rejectedGroups } = await assessFile(context, file, options).catch(wrapErrors);
  const { entriesRejected } = report.totals;
  if (entriesRejected !== rejectedCount) {
    const counts = `${formatCount(entriesRejected, "entry is", "entries are")} rejected in it, ${formatThousands(rejectedCount)} in the report`;
    if (!source.isVerified) throw mismatchError(id, file, counts);
    printMessage(context, `warning: the service has other rules than this version: ${counts}`);
  }
  await writeRejectedCsv(context, file.chunks(), path, pickRejectedRows(asOf.day, rejectedGroups, mapping));
}

interface ListedRejections {
  readonly asOf: { readonly day: Day; readonly text: string } | null;
  readonly layout: unknown;
  /** Of an entry file: each entry is one line. */
  readonly reasonsByLine: ReadonlyMap<number, readonly RowReason[]>;
  readonly rejectedCount: number;
  /** False if the report lists only the first ones. */
  readonly isComplete: boolean;
}

/** The interface shows no rejections of a report, so a service may have other fields. */
function readRejections(id: string, report: unknown): ListedRejections {
  const rejections = valueAt(report, "rejections");
  if (!Array.isArray(rejections)) throw notListedError(id, "no list of rejections");
  const reasonsByLine = new Map<number, readonly RowReason[]>();
  for (const rejection of rejections as unknown[]) {
    const line = valueAt(rejection, "line");
    const errors = valueAt(rejection, "errors");
    if (typeof line !== "number") throw notListedError(id, "a rejection without a line");
    reasonsByLine.set(line, Array.isArray(errors) ? errors.map(toReason) : []);
  }
  const count = valueAt(report, "totals.entriesRejected");
  const rejectedCount = typeof count === "number" ? count : rejections.length;
  const text = valueAt(report, "asOf");
  const day = typeof text === "string" ? parseIsoDay(text) : null;
  return {
    asOf: day === null ? null : { day, text: String(text) },
    layout: valueAt(report, "layout"),
    reasonsByLine,
    rejectedCount,
    isComplete: valueAt(report, "rejectionsTruncated") !== true && rejectedCount <= rejections.length,
  };
}

function toReason(error: unknown): RowReason {
  const { code, column, detail } = isRecord(error) ? error : {};
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return { code: text(code), column: text(column), detail: text(detail) };
}

async function findSource(context: Context, service: Service, id: string, given: string | undefined) {
  const submissions = await readSubmissions(context, service);
  const { fileSha256: sha256, mapping } = submissions.findLast(({ jobId }) => jobId === id) ?? {};
  const loggedPaths = submissions
    .filter(({ fileSha256 }) => sha256 !== undefined && fileSha256 === sha256)
    .flatMap((submission) => submission.path ?? []);
  if (given !== undefined) {
    const file = await openInput(context, given);
    const isVerified = sha256 !== undefined;
    if (isVerified && (await hashFile(file)) !== sha256) {
      await file.close();
      throw mismatchError(id, file, "its SHA-256 is not the one in the write log");
    }
    return { file, isVerified, mapping, loggedPaths };
  }
  if (sha256 === undefined) throw notFound(id, "the write log of this machine does not have the job");
  const paths = new Set(loggedPaths);
  for (const path of paths) {
    const isFile = await stat(path).then(
      (found) => found.isFile(),
      () => false,
    );
    if (!isFile) continue;
    const file = await openInput(context, path);
    if ((await hashFile(file)) === sha256) return { file, isVerified: true, mapping, loggedPaths };
  }
  throw notFound(
    id,
    paths.size === 0
      ? "the write log has no path of it"
      : `${[...paths].join(", ")} changed or does not exist any more`,
  );
}

const notFound = (id: string, reason: string) =>
  rejectedError("source_not_found", `the file of job ${id} was not found: ${reason}`, {
    hint: "name the submitted file with --source",
    jobId: id,
  });

const mismatchError = (id: string, { displayName }: InputFile, reason: string) =>
  rejectedError("source_not_found", `${displayName} is not the file of job ${id}: ${reason}`, {
    hint: "name the submitted file with --source",
    jobId: id,
  });

const notListedError = (id: string, lack: string) =>
  rejectedError("source_not_found", `the report of job ${id} has ${lack}`, {
    hint: "read the report with --json",
    jobId: id,
  });
