import { randomUUID } from "node:crypto";
import { ClaimsError } from "../../../domain/errors.ts";
import type { Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import { printMessage } from "../../output/stderr.ts";
import { isUnrecognized, unknownBeforeError } from "../../write-log/decision.ts";
import type { WriteDescription } from "../../write-log/describe-write.ts";
import {
  type EarlierSubmission,
  findDuplicate,
  type OnDuplicate,
  resolveDuplicate,
  warnAboutSubmissionInFlight,
} from "../../write-log/duplicates.ts";
import {
  isOutcomeUnknown,
  type LoggedResponse,
  type LoggedWrites,
  logAndSend,
} from "../../write-log/send-logged.ts";
import type { WriteLog } from "../../write-log/write-log.ts";
import { hasUnknownOutcome, type WriteRecord, type WriteScope } from "../../write-log/write-record.ts";
import { type CheckMode, checkSubmission } from "./check-submission.ts";
import { type SubmissionInput, sendSubmission } from "./submission.ts";

/** How a command makes its submissions. */
export interface SubmissionPolicy {
  readonly check: CheckMode;
  /** Whether every warning about the file is printed. */
  readonly isVerbose?: boolean | undefined;
  readonly onDuplicate: OnDuplicate;
  /** Path of the job id in the response, instead of the usual names. */
  readonly jobIdPath?: string | undefined;
  readonly legacy?: boolean | undefined;
  /** Of the command line. Default: that of the same write if its outcome is unknown, or a new one. */
  readonly idempotencyKey?: string | undefined;
  readonly scope: WriteScope;
  /** They record each submission. */
  readonly logs: readonly WriteLog[];
  /** Asks the person to confirm the write, after the check of the file. */
  confirm?(): Promise<void>;
  /** Whether a write with unknown outcome may be sent again under its key. Default: yes. */
  canResend?(known: WriteRecord): Promise<boolean>;
  /** Whether nothing more may be sent. */
  isStopped?(): boolean;
  onProgress?(sentBytes: number): void;
}

/** What is known of the same file and the same submission before it is sent. */
export interface EarlierWrites {
  /** The last write of this submission, if it was accepted or its outcome is unknown. */
  readonly known: WriteRecord | null;
  /** The writes to the service with the same file or the same content. */
  readonly similar: readonly WriteRecord[];
  /** A submission of this run with the same file. */
  readonly equal?: EarlierSubmission | null;
}

/** What became of a submission (product.md §4). `error` says what to do. */
export type SubmissionResult =
  /** With an error, it needs a decision by a person; then the job id may be null. */
  | {
      readonly outcome: "accepted";
      readonly jobId: string | null;
      readonly key: string;
      readonly response: LoggedResponse;
      readonly error: ClaimsError | null;
    }
  /** The job of an earlier submission is used. */
  | {
      readonly outcome: "earlier";
      readonly jobId: string | null;
      readonly key: string | null;
      readonly error: null;
    }
  | { readonly outcome: "unknown"; readonly key: string | null; readonly error: ClaimsError }
  /** By the service, or by a check of this machine. */
  | { readonly outcome: "refused"; readonly error: ClaimsError }
  /** The service provably did not execute it. Without an error, the run was stopped before. */
  | { readonly outcome: "not_sent"; readonly error: ClaimsError | null };

/**
 * Submits a file, unless it was submitted before or may have been: check, look for earlier and current submissions, write
 * the intent, send, read the job id, write the outcome. Every command that submits uses this one function.
 */
export async function submitFile(
  context: Context,
  service: Service,
  submission: SubmissionInput,
  write: WriteDescription,
  earlier: EarlierWrites,
  policy: SubmissionPolicy,
): Promise<SubmissionResult> {
  const { known } = earlier;
  if (known?.outcome === "accepted") {
    const { jobId, key } = known;
    return { outcome: "earlier", jobId, key, error: null };
  }
  const unknown = known !== null && hasUnknownOutcome(known, context) ? known : null;
  try {
    if (unknown !== null) return await resend(context, service, submission, write, unknown, policy);
    await checkSubmission(context, submission, policy);
    await policy.confirm?.();
    // Another submission may have stopped the run in the meantime.
    if (policy.isStopped?.()) return { outcome: "not_sent", error: null };
    const duplicate = earlier.equal ?? findDuplicate(earlier.similar, write, policy.idempotencyKey);
    const jobId = resolveDuplicate(context, policy.onDuplicate, write, duplicate);
    if (jobId !== null) return { outcome: "earlier", jobId, key: null, error: null };
    warnAboutSubmissionInFlight(context, earlier.similar, write);
    return await send(context, service, submission, write, policy.idempotencyKey ?? randomUUID(), policy);
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    return toFailure(error, unknown);
  }
}

/** Sends a write again whose outcome is unknown. Under its key, a service that keeps keys executes it once. */
async function resend(
  context: Context,
  service: Service,
  submission: SubmissionInput,
  write: WriteDescription,
  unknown: WriteRecord,
  policy: SubmissionPolicy,
): Promise<SubmissionResult> {
  const { at, key } = unknown;
  const canResend = policy.canResend ?? (async () => !isUnrecognized(unknown));
  if (!(await canResend(unknown))) {
    // The service may ignore the key and create a second job.
    const hint =
      "look for it on the service; --resend-unknown of `batch` sends it again and may create a second job";
    return { outcome: "unknown", key, error: unknownBeforeError(unknown, hint) };
  }
  await policy.confirm?.();
  const message = `the outcome of the same write at ${at} is unknown; sending it again with key ${key}`;
  printMessage(context, `warning: ${message}`);
  return send(context, service, submission, write, key, policy);
}

async function send(
  context: Context,
  service: Service,
  submission: SubmissionInput,
  write: WriteDescription,
  key: string,
  { jobIdPath, legacy, logs, onProgress, scope }: SubmissionPolicy,
): Promise<SubmissionResult> {
  const response = await logAndSend(context, logs, { ...write, ...scope, key }, () =>
    sendSubmission(service, submission, { jobIdPath, legacy, idempotencyKey: key }, onProgress),
  );
  return { outcome: "accepted", jobId: response.jobId, key, response, error: response.failure ?? null };
}

/** The codes of the checks of this machine. */
const REFUSING_CODES: ReadonlySet<string> = new Set(["not_a_text_table", "check_failed", "duplicate"]);

function toFailure(error: ClaimsError, unknown: WriteRecord | null): SubmissionResult {
  // The failure of a repeat says nothing about the attempt before it.
  if (unknown !== null || isOutcomeUnknown(error))
    return { outcome: "unknown", key: unknown?.key ?? null, error };
  const isRefused = error.kind !== "unreachable" && error.status !== undefined;
  return { outcome: isRefused || REFUSING_CODES.has(error.code) ? "refused" : "not_sent", error };
}

/**
 * What the write log of this machine knows about a submission. A given key is that of another submission, unless something
 * else than the service responded: then only a person can decide.
 */
export function findEarlierWrites(
  context: Context,
  { records }: LoggedWrites,
  { content }: WriteDescription,
  idempotencyKey?: string,
): EarlierWrites {
  const unknown = records.filter(
    (record) => record.content === content && hasUnknownOutcome(record, context),
  );
  const last = idempotencyKey === undefined ? unknown.at(-1) : undefined;
  return { known: unknown.find(isUnrecognized) ?? last ?? null, similar: records };
}
