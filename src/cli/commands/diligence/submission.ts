import { Buffer } from "node:buffer";
import { parseJsonBody } from "../../../client/http/classify-body.ts";
import { readWriteMeaning } from "../../../client/write-meaning.ts";
import { isPrivateKey, isUtf16, recognizeOtherFile } from "../../../domain/entries/csv/file-kind.ts";
import { EntryFileError } from "../../../domain/entries/entry-file-error.ts";
import type { FileWarning, FileWarningCode } from "../../../domain/entries/file-warnings.ts";
import { type ClaimsError, rejectedError } from "../../../domain/errors.ts";
import { isRecord } from "../../../domain/json.ts";
import { formatCount, formatThousands } from "../../../domain/numbers.ts";
import { toShellWord } from "../../../domain/shell.ts";
import { tryParseJson } from "../../connection/json-response.ts";
import type { Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import type { InputFile } from "../../files/input-file.ts";
import { printMessage } from "../../output/stderr.ts";
import { hashContent, type WriteDescription } from "../../write-log/describe-write.ts";
import { SUBMIT_OPERATION } from "../../write-log/events.ts";
import type { WriteResponse } from "../../write-log/finish-write.ts";
import { createKeyCheck } from "../../write-log/key-support.ts";
import type { LoggedWrites } from "../../write-log/logged-writes.ts";
import { performWrite, type WritePlan, type WriteResult } from "../../write-log/perform-write.ts";
import type { EntryOverlaps } from "./batch/entry-overlaps.ts";
import { warnAboutContinuedFile } from "./continued-file.ts";
import { HEAD_BYTES, notTextTableError, privateKeyError } from "./entry-file.ts";
import type { CheckMode } from "./options.ts";
import {
  hasRejectedRowHeadings,
  ownOutputError,
  recognizeOwnOutput,
  uncorrectedError,
} from "./own-output.ts";

export interface SubmissionInput {
  readonly file: InputFile;
  /** The path on the command line. */
  readonly source: string;
  readonly sellerName: string;
  readonly protestDocs: boolean;
}

const formFields = ({ sellerName, protestDocs }: SubmissionInput) => ({
  seller_name: sellerName,
  requires_protest_documentation: String(protestDocs),
});

export async function describeSubmission(submission: SubmissionInput): Promise<WriteDescription> {
  const { file, sellerName } = submission;
  const fileSha256 = await file.hash();
  const fields = { ...formFields(submission), file: fileSha256 };
  return {
    operation: SUBMIT_OPERATION,
    content: hashContent({ operation: SUBMIT_OPERATION, fields }),
    seller: sellerName,
    file: file.displayName,
    fileSha256,
    path: file.path ?? undefined,
    bytes: file.size,
    jobId: null,
  };
}

export interface SubmissionPolicy
  extends Omit<WritePlan, "write" | "newKey" | "check" | "checkKeySupport" | "send"> {
  readonly check?: CheckMode | undefined;
  /** Whether every warning about the file is printed. */
  readonly isVerbose?: boolean | undefined;
  /** A batch looks for entries that two of its files have. */
  readonly overlaps?: EntryOverlaps;
  /** Path of the job id in the response as the service sends it, instead of the usual names. */
  readonly jobIdPath?: string | undefined;
  readonly legacy?: boolean | undefined;
  /** Whether a new key is made from the submission, so that two machines have the same. */
  readonly contentKey?: boolean | undefined;
  readonly writes: LoggedWrites;
  /** Whether the service keeps keys. Default: asks its contract. */
  checkKeySupport?(): Promise<boolean>;
  /** Called with the number of entries of a file that could be read, before it is sent. */
  onEntries?(count: number): void;
  onProgress?(sentBytes: number): void;
}

/** Submits a file, unless it was submitted before or may have been. */
export async function submitFile(
  context: Context,
  service: Service,
  submission: SubmissionInput,
  policy: SubmissionPolicy,
  described?: WriteDescription,
): Promise<WriteResult> {
  const { contentKey = false, legacy, onDuplicate, writes } = policy;
  const write = described ?? (await describeSubmission(submission));
  const isKeyOfContent = contentKey && onDuplicate !== "submit";
  return performWrite(context, writes, {
    ...policy,
    write,
    newKey: isKeyOfContent ? write.content : undefined,
    checkKeySupport: policy.checkKeySupport ?? createKeyCheck(service, write.operation, legacy),
    check: async () => {
      await checkSubmission(context, submission, policy);
      await warnAboutContinuedFile(context, submission.file, write, writes);
    },
    send: (idempotencyKey) => sendSubmission(service, submission, idempotencyKey, policy),
  });
}

async function sendSubmission(
  service: Service,
  submission: SubmissionInput,
  idempotencyKey: string,
  { jobIdPath, legacy, onProgress }: SubmissionPolicy,
): Promise<WriteResponse> {
  const { client, operations } = service;
  const { name, size, stream: open } = submission.file;
  const file = { name, source: submission.source, contentType: "text/csv", size, open };
  const multipart = { fields: formFields(submission), file, onProgress };
  const response = await client.send(operations.diligence.submit, { legacy, idempotencyKey, multipart });
  // With the contract, which a command loads to send.
  const { findJobId, listJobIdCandidates } = await import("../../../client/job-id.ts");
  const { readSubmittedId } = await import("../../../contract/mapping/read.ts");
  const document = parseJsonBody(response);
  const { headers } = response;
  const line = jobIdPath === undefined ? service.mapping?.["submitted.id"] : undefined;
  const found =
    line === undefined
      ? findJobId(document, headers.location, jobIdPath)
      : readSubmittedId(line, { headers, json: document });
  const sent = [submission.sellerName, name, idempotencyKey, ...Object.values(response.headers)];
  const candidates =
    found === null && jobIdPath === undefined && line === undefined
      ? await removeSent(listJobIdCandidates(document), sent.join("\n"), submission.file)
      : [];
  const [only, ...others] = candidates;
  const isJob = only && others.length === 0 && (await hasJob(service, only.id));
  const jobId = isJob ? only.id : found;
  const places = candidates.map(({ path, id }) => `; it may be at ${path} (${id})`).join("");
  const idProblem = `its response has no job id at ${jobIdPath ?? line ?? "any of the usual places"}${places}`;
  return { ...response, jobId, meaning: readWriteMeaning(response, jobId), idProblem };
}

/** Leaves out what the request itself had (product.md §4, *Job id*). @param sent its other texts */
export async function removeSent<Candidate extends { readonly id: string }>(
  candidates: readonly Candidate[],
  sent: string,
  file: Pick<InputFile, "chunks">,
): Promise<readonly Candidate[]> {
  const isNew = (text: string) => {
    const whole = text.toLowerCase();
    return ({ id }: Candidate) => !whole.includes(id.toLowerCase());
  };
  let left = candidates.filter(isNew(sent));
  let text = "";
  for await (const chunk of left.length > 0 ? file.chunks() : []) {
    // An id may stand across two chunks.
    text = text.slice(-MAX_ID_LENGTH) + Buffer.from(chunk).toString("latin1");
    left = left.filter(isNew(text));
  }
  return left;
}

const MAX_ID_LENGTH = 100;

/** The submission was accepted, whatever happens to this read. */
const hasJob = ({ client, operations }: Service, jobId: string): Promise<boolean> =>
  client.send(operations.diligence.status, { params: { jobId } }).then(
    (response) => isRecord(tryParseJson(response)),
    () => false,
  );

/**
 * Refuses what is no text table (product.md §4), and a file with a fault that stops a submission (diligence-model §1).
 * Refuses a private key in any mode: one is sent only by mistake.
 *
 * @throws ClaimsError `not_a_text_table`, `check_failed`
 */
export async function checkSubmission(
  context: Context,
  submission: SubmissionInput,
  policy: SubmissionPolicy,
): Promise<void> {
  const { check = "warn" } = policy;
  const { displayName } = submission.file;
  const head = await readHead(submission.file);
  if (isPrivateKey(head)) throw privateKeyError(displayName);
  if (check === "off") return;
  const kind = recognizeOtherFile(head) ?? (await recognizeBinary(submission.file, head));
  if (kind !== null) throw notTextTableError(displayName, kind, true);
  const ownKind = recognizeOwnOutput(head);
  if (ownKind !== null) throw ownOutputError(displayName, ownKind);
  const problem = await findProblem(context, submission, policy, hasRejectedRowHeadings(head));
  if (problem === null) return;
  const message = `${displayName} does not follow the assumed format: ${problem}`;
  const details = `\`claims diligence check ${toShellWord(submission.source)}\` shows the details`;
  if (check === "strict")
    throw rejectedError("check_failed", `${message}; it was not sent`, { hint: details });
  printMessage(context, `warning: ${message}; ${details}`);
}

async function readHead(file: InputFile): Promise<Uint8Array> {
  for await (const bytes of file.chunks()) return bytes.slice(0, HEAD_BYTES);
  return new Uint8Array();
}

async function recognizeBinary(file: InputFile, head: Uint8Array): Promise<string | null> {
  if (isUtf16(head)) return null;
  for await (const bytes of file.chunks()) if (bytes.includes(0)) return "a binary file";
  return null;
}

async function findProblem(
  context: Context,
  submission: SubmissionInput,
  { isVerbose = false, onEntries, overlaps }: SubmissionPolicy,
  hasRejectedRows: boolean,
): Promise<string | null> {
  const { file } = submission;
  const { assessFile } = await import("./assess-file.ts");
  try {
    const overlap = overlaps?.startFile(file.displayName);
    const { report } = await assessFile(context, submission, { onEntry: overlap?.add });
    const { rejections, totals } = report;
    onEntries?.(totals.entriesSubmitted);
    warnAboutFile(context, file.displayName, report.fileWarnings, isVerbose);
    const stop = findStop(file.displayName, report.fileWarnings);
    if (stop) throw stop;
    const repeated = overlap?.warning() ?? null;
    if (repeated !== null) printMessage(context, `warning: ${repeated}`);
    const [first] = rejections;
    if (first === undefined) return null;
    const line = first.errors[0]?.line ?? first.line;
    const codes = first.errors.flatMap((error) => (error.line === line ? error.code : [])).join(", ");
    const { entriesRejected, entriesSubmitted } = totals;
    if (hasRejectedRows && entriesRejected > 0) throw uncorrectedError(file.displayName);
    const submitted = formatCount(entriesSubmitted, "entry", "entries");
    return `${formatThousands(entriesRejected)} of ${submitted} ${entriesRejected === 1 ? "is" : "are"} rejected, the first on line ${line} (${codes})`;
  } catch (error) {
    if (!(error instanceof EntryFileError)) throw error;
    return `${error.message.replace(/\.$/, "")} (${error.code})`;
  }
}

const URGENT_CODES: readonly FileWarningCode[] = [
  "AMOUNTS_IMPLAUSIBLE",
  "COLUMN_TWICE",
  "DATE_ORDER_UNPROVEN",
  "IEEPA_ROWS_ABSENT",
  "ROWS_REPEATED",
];

/** Whether a warning may mean that the claim is wrong. A second heading, or one that is not read, may decide a route. */
const isUrgent = ({ code, columns, important, severity, similar }: FileWarning): boolean =>
  severity === "stop" ||
  URGENT_CODES.includes(code) ||
  (code === "NO_FINAL_LINE_END" && columns !== undefined) ||
  important !== undefined ||
  similar !== undefined;

/** Prints the warnings about an entry file on stderr. The others than those that may change the claim only with `-v`. */
export function warnAboutFile(
  context: Context,
  displayName: string,
  warnings: readonly FileWarning[],
  verbose = false,
): void {
  for (const warning of warnings) {
    if (!verbose && !isUrgent(warning)) continue;
    printMessage(context, `warning: ${displayName}: ${describe(warning, verbose)} (${warning.code})`);
  }
}

/** Unknown headings that are close to a known one, or may decide a route, matter; a broker's own columns do not. */
function describe({ detail, important = [], similar = [] }: FileWarning, verbose: boolean): string {
  const names = new Map(important.map((heading) => [heading, `"${heading}"`]));
  for (const { heading, closest } of similar) names.set(heading, `"${heading}" (did you mean "${closest}"?)`);
  return verbose || names.size === 0 ? detail : `No column is read from ${[...names.values()].join(", ")}.`;
}

/** The failure of `check` for a file that `submit` would not send; the warnings above it say why. */
export function findStop(displayName: string, warnings: readonly FileWarning[]): ClaimsError | undefined {
  const codes = warnings.flatMap(({ code, severity }) => (severity === "stop" ? [code] : []));
  if (codes.length === 0) return undefined;
  return rejectedError(
    "check_failed",
    `${displayName} may be read wrong (${[...new Set(codes)].join(", ")})`,
    {
      hint: "correct the file as the lines above say; `submit --check off` sends it as it is",
    },
  );
}
