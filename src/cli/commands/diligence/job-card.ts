import { readJobFields } from "../../../client/wait.ts";
import type { Job } from "../../../contract/operations/diligence.ts";
import { categorizeState } from "../../../domain/diligence/states.ts";
import type { ClaimsError } from "../../../domain/errors.ts";
import { isRecord } from "../../../domain/json.ts";
import { formatCount, formatThousands } from "../../../domain/numbers.ts";
import { formatDuration, formatTime } from "../../../domain/times.ts";
import { type Block, type Cell, type Output, toCard } from "../../output/output.ts";
import { formatField, listFields } from "../../output/record-card.ts";
import { quoteId } from "../../output/shell-quote.ts";
import { isResumable, type JobView, readFailure, toJobOutput } from "./job.ts";

export const renderJob = (job: JobView, failure?: ClaimsError): Output =>
  toJobOutput({ ...job, failure }, renderJobCard(job));

type ShownJob = Pick<JobView, "id" | "record" | "seen">;

type Fields = Readonly<Record<string, unknown>>;

/** What a person asks about a job, and the next command. A pipe gets the fields of the service. */
export function renderJobCard(job: ShownJob): readonly Block[] {
  const { id, record } = job;
  const fields = readJobFields(record);
  const rows: Record<string, Cell> = {
    state: job.seen.state,
    seller: toText(fields.sellerName),
    file: describeFile(fields),
    rows: describeRows(job, fields),
    submitted: isTime(fields.createdAt) ? formatTime(fields.createdAt) : null,
    took: describeDuration(fields),
    failure: describeFailure(record),
    ...listOtherFields(fields),
  };
  const known = Object.entries(rows).filter(([, value]) => value !== null);
  const sent = isRecord(record) ? record : {};
  return [toCard("job", Object.fromEntries(known), { title: `Job ${id}`, record: sent }), nextCommands(job)];
}

const toText = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

const isTime = (value: unknown): value is string =>
  typeof value === "string" && !Number.isNaN(Date.parse(value));

function describeFile({ fileName, fileBytes }: Fields): string | null {
  const size = typeof fileBytes === "number" ? formatCount(fileBytes, "byte") : null;
  return [toText(fileName), size].filter(Boolean).join(", ") || null;
}

function describeRows({ seen }: ShownJob, { progress }: Fields): string | null {
  const { rowsProcessed, rowsTotal, state } = seen;
  if (rowsProcessed === null) return null;
  const isPending = categorizeState(state) === "pending";
  if (isPending && rowsProcessed === 0) return null;
  const { entriesAccepted, entriesRejected } = isRecord(progress) ? progress : {};
  const texts = [describeShare(rowsProcessed, rowsTotal)];
  if (!isPending && typeof entriesAccepted === "number")
    texts.push(`${formatThousands(entriesAccepted)} accepted`);
  if (!isPending && typeof entriesRejected === "number")
    texts.push(`${formatThousands(entriesRejected)} rejected`);
  return texts.join(", ");
}

/** `1,200 of 5,000 (24 %)`, or `5,000` at the end. */
function describeShare(processed: number, total: number | null): string {
  if (total === null || total === 0 || processed === total) return formatThousands(processed);
  const percent = Math.floor((100 * processed) / total);
  return `${formatThousands(processed)} of ${formatThousands(total)} (${percent} %)`;
}

function describeDuration({ startedAt, finishedAt }: Fields): string | null {
  if (!isTime(startedAt) || !isTime(finishedAt)) return null;
  return formatDuration(Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)));
}

function describeFailure(record: unknown): string | null {
  const { code, detail, line } = readFailure(record);
  const place = line === null ? "" : `line ${line}: `;
  return `${place}${detail ?? ""}${code === null ? "" : ` (${code})`}` || null;
}

/** The fields of the contract: the card shows what a person needs of them. */
const CONTRACT_FIELDS: Readonly<Record<keyof Job, true>> = {
  jobId: true,
  state: true,
  environment: true,
  sellerName: true,
  requiresProtestDocumentation: true,
  fileName: true,
  fileBytes: true,
  asOf: true,
  runCount: true,
  createdAt: true,
  startedAt: true,
  finishedAt: true,
  progress: true,
  failure: true,
};

/** Other names of the id and of the state, and the job itself. */
const SHOWN_ELSEWHERE = ["id", "job", "status"];

/** What the service sent beyond the contract. */
function listOtherFields(fields: Fields): Readonly<Record<string, Cell>> {
  const others = Object.entries(fields).filter(
    ([name]) => !Object.hasOwn(CONTRACT_FIELDS, name) && !SHOWN_ELSEWHERE.includes(name),
  );
  return Object.fromEntries(
    listFields(Object.fromEntries(others)).map(([path, value]) => [path, formatField(path, value)]),
  );
}

function nextCommands(job: ShownJob): Block {
  const id = quoteId(job.id);
  const state = categorizeState(job.seen.state);
  const lines: string[] = [];
  if (state === "pending") lines.push(`claims diligence wait ${id}`);
  if (state === "completed" || state === "partial") lines.push(`claims diligence report ${id}`);
  if (isResumable(job)) lines.push(`claims diligence resume ${id} --wait`);
  else if (state === "failed") lines.push("claims diligence check FILE");
  return { kind: "paragraph", title: "Next", isAdvice: true, lines: lines.map((line) => `  ${line}`) };
}
