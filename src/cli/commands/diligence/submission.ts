import { Buffer } from "node:buffer";
import { parseJsonBody } from "../../../client/http/classify-body.ts";
import type { ApiResponse } from "../../../client/http/response.ts";
import { rejectedError } from "../../../domain/errors.ts";
import { isRecord } from "../../../domain/json.ts";
import { formatTime } from "../../../domain/times.ts";
import { tryParseJson } from "../../connection/json-response.ts";
import type { Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import type { InputFile } from "../../files/input-file.ts";
import {
  decideAboutEarlier,
  decideToRepeat,
  type WriteChoice,
  type WriteDecision,
} from "../../write-log/decide-write.ts";
import type { WriteDescription } from "../../write-log/describe-write.ts";
import type { WriteResponse } from "../../write-log/finish-write.ts";
import { createKeyCheck } from "../../write-log/key-support.ts";
import type { LoggedWrites } from "../../write-log/logged-writes.ts";
import { performWrite, type WritePlan, type WriteResult } from "../../write-log/perform-write.ts";
import type { WriteRecord } from "../../write-log/write-record.ts";
import type { SubmissionInput } from "./assess-file.ts";
import { type CheckPolicy, checkSubmission } from "./check-submission.ts";
import { describeSubmission, formFields } from "./describe-submission.ts";
import { EntryOverlaps, type OtherSubmission } from "./entry-overlaps.ts";

export interface SubmissionPolicy
  extends Omit<CheckPolicy, "overlaps">,
    Omit<WritePlan, "write" | "newKey" | "check" | "checkKeySupport" | "send"> {
  /** Path of the job id in the response as the service sends it, instead of the usual names. */
  readonly jobIdPath?: string | undefined;
  readonly legacy?: boolean | undefined;
  /** Whether a new key is made from the submission, so that two machines have the same. */
  readonly contentKey?: boolean | undefined;
  readonly writes: LoggedWrites;
  /** The submissions of this run, and earlier ones, by their entries. Default: only earlier ones. */
  readonly overlaps?: EntryOverlaps;
  /** Whether the service keeps keys. Default: asks its contract. */
  checkKeySupport?(): Promise<boolean>;
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
    check: async (choice) => {
      const { overlaps = new EntryOverlaps(context, writes) } = policy;
      await checkSubmission(context, submission, write, { ...policy, overlaps });
      const repeated = overlaps.findRepeated(write);
      const record = repeated && (await findRecord(repeated, writes));
      return repeated && decideAboutRepeated(submission, repeated, record, choice.onDuplicate);
    },
    send: (idempotencyKey) => sendSubmission(service, submission, idempotencyKey, policy),
  });
}

/** Also of a submission of this run, if it was accepted in the meantime. */
async function findRecord({ record, write }: OtherSubmission, writes: LoggedWrites) {
  if (record) return record;
  return (await writes.read(write)).findLast(({ outcome }) => outcome === "accepted") ?? null;
}

function decideAboutRepeated(
  { file, sellerName }: SubmissionInput,
  { write: { file: other, seller } }: OtherSubmission,
  record: WriteRecord | null,
  onDuplicate: WriteChoice["onDuplicate"],
): WriteDecision | null {
  const forSeller = seller === sellerName ? "" : ` for the seller ${seller}`;
  const sending = record ? describeAcceptance(record) : "this run sends, too";
  const description = `${file.displayName} has the same entries as ${other}, which ${sending}${forSeller}`;
  if (record) return decideAboutEarlier(description, record, onDuplicate);
  if (onDuplicate === "submit") return null;
  const error = rejectedError("duplicate", `${description}; it was not sent`, {
    hint: "leave one of them out; --on-duplicate submit sends both",
  });
  return decideToRepeat(description, error, onDuplicate);
}

const describeAcceptance = ({ at, jobId }: WriteRecord): string =>
  `was accepted at ${formatTime(at)}${jobId === null ? "" : ` as job ${jobId}`}`;

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
  return { ...response, ...(await readJobId(service, submission, response, { idempotencyKey, jobIdPath })) };
}

/** @returns null, and why, if the response has no job id or several (product.md §4, *Job id*) */
async function readJobId(
  service: Service,
  submission: SubmissionInput,
  response: ApiResponse,
  { idempotencyKey, jobIdPath }: { readonly idempotencyKey: string; readonly jobIdPath: string | undefined },
): Promise<{ readonly jobId: string | null; readonly idProblem: string }> {
  // With the contract, which a command loads to send.
  const { findJobId, listJobIdCandidates } = await import("../../../client/job-id.ts");
  const { readSubmittedId } = await import("../../../contract/mapping/read.ts");
  const document = parseJsonBody(response);
  const { location, ...headers } = response.headers;
  const place = jobIdPath ?? service.mapping?.["submitted.id"];
  const nothingAt = (name: string) => `its response has no job id at ${name}`;
  if (place !== undefined) {
    const isPath = place === jobIdPath && !place.startsWith("header:");
    const jobId = isPath
      ? findJobId(document, "", place)
      : readSubmittedId(place, { headers: response.headers, json: document });
    return { jobId, idProblem: nothingAt(place) };
  }
  const found = findJobId(document, location);
  if (found !== null && found !== idempotencyKey) return { jobId: found, idProblem: "" };
  const texts = [submission.sellerName, submission.file.name, idempotencyKey, ...Object.values(headers)];
  const candidates = await removeSent(listJobIdCandidates(document, location), texts, submission.file);
  const [only, ...others] = candidates;
  const isJob = only && others.length === 0 && (await hasJob(service, only.id));
  const places = candidates.map(({ path, id }) => `; it may be at ${path} (${id})`).join("");
  return { jobId: isJob ? only.id : null, idProblem: nothingAt(`any of the usual places${places}`) };
}

/** Leaves out the ids that the request itself had (product.md §4, *Job id*). @param texts its other values, and headers of the response */
export async function removeSent<Candidate extends { readonly id: string }>(
  candidates: readonly Candidate[],
  texts: readonly string[],
  file: Pick<InputFile, "chunks">,
): Promise<readonly Candidate[]> {
  const left = new Map(candidates.map((candidate) => [candidate.id.toLowerCase(), candidate]));
  const removeValue = (value: string): void => {
    const whole = value.trim().toLowerCase();
    left.delete(whole);
    // Inside of a longer value, a number is there by chance, and a UUID is not.
    for (const [uuid] of whole.matchAll(ANY_UUID)) left.delete(uuid);
  };
  texts.forEach(removeValue);
  let begun = "";
  for await (const chunk of left.size > 0 ? file.chunks() : []) {
    // Without the zeros of UTF-16, the ids of any encoding are ASCII.
    const text = begun + Buffer.from(chunk).toString("latin1").replaceAll("\0", "");
    const cells = text.split(END_OF_CELL);
    begun = cells.pop()?.slice(-MAX_CELL_LENGTH) ?? "";
    cells.forEach(removeValue);
  }
  removeValue(begun);
  return [...left.values()];
}

const ANY_UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/** Of any delimiter. */
const END_OF_CELL = /[,;|\t\r\n"]/;

/** Longer than any id. */
const MAX_CELL_LENGTH = 1_000;

/** The submission was accepted, whatever happens to this read. */
const hasJob = ({ client, operations }: Service, jobId: string): Promise<boolean> =>
  client.send(operations.diligence.status, { params: { jobId } }).then(
    (response) => isRecord(tryParseJson(response)),
    () => false,
  );
