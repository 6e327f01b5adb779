import { resolve } from "node:path";
import { parseIsoDay, timeToDay } from "../../../domain/entries/dates.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import { isRecord } from "../../../domain/json.ts";
import type { Deadline } from "../../../pages/report.tsx";
import { renderReportFile } from "../../../pages/report-file.tsx";
import type { Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import { writeFileAtomically } from "../../files/atomic-file.ts";
import { refuseReplacedInput } from "../../files/replaced-input.ts";
import { printMessage } from "../../output/stderr.ts";
import { readSubmissions } from "../../write-log/job-log.ts";
import { openDataset, readEntries } from "./dataset/entries.ts";
import { collectDeadlines } from "./deadlines/collect-deadlines.ts";
import type { JobResponse } from "./job.ts";

/** Writes the report as a page, mode 0600: it has the importer's figures. */
export async function writeReportHtml(
  context: Context,
  service: Service,
  { id, record }: JobResponse,
  path: string,
): Promise<void> {
  const submissions = await readSubmissions(context, service);
  const inputs = submissions.flatMap((submission) => submission.path ?? []);
  await refuseReplacedInput(context, "--html", path, inputs);
  const report = isRecord(record) ? record : {};
  const deadlines = await readDeadlines(context, service, id, report.asOf);
  const html = renderReportFile({ jobId: id, baseUrl: service.connection.baseUrl, report, deadlines });
  await writeFileAtomically(resolve(context.cwd, path), [html], { mode: 0o600, signal: context.signal });
  printMessage(context, `wrote the report to ${path}`, { path });
}

/** The deadlines are those of the entries, which only the dataset has. Without it, the page has no list of them. */
async function readDeadlines(context: Context, service: Service, id: string, asOf: unknown) {
  const from = (typeof asOf === "string" ? parseIsoDay(asOf) : null) ?? timeToDay(context.now());
  try {
    const entries = readEntries(await openDataset(service, id, "ndjson"));
    const { groups } = await collectDeadlines(entries, { from, to: Number.POSITIVE_INFINITY });
    return sumByDate(groups);
  } catch (error) {
    if (!(error instanceof ClaimsError) || error.kind === "interrupted") throw error;
    printMessage(context, `warning: the page does not list the deadlines: ${error.message}`);
    return null;
  }
}

/** The groups are those of a date and a route. */
function sumByDate(groups: Awaited<ReturnType<typeof collectDeadlines>>["groups"]): Deadline[] {
  const byDate = new Map<string, Deadline>();
  for (const { deadline: date, entries, ieepaDutyCents } of groups) {
    const sum = byDate.get(date) ?? { date, entries: 0, ieepaDutyCents: 0 };
    const isKnown = sum.ieepaDutyCents !== null && ieepaDutyCents !== null;
    byDate.set(date, {
      date,
      entries: sum.entries + entries,
      ieepaDutyCents: isKnown ? sum.ieepaDutyCents + ieepaDutyCents : null,
    });
  }
  return [...byDate.values()].sort((one, other) => (one.date < other.date ? -1 : 1));
}
