import { randomUUID } from "node:crypto";
import { ClaimsError } from "../../../domain/errors.ts";
import type { Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import { printMessage } from "../../output/stderr.ts";
import { isUnrecognized, refuseResend } from "../../write-log/decision.ts";
import type { WriteDescription } from "../../write-log/describe-write.ts";
import { applyOnDuplicate, type OnDuplicate } from "../../write-log/duplicates.ts";
import type { LoggedWrites } from "../../write-log/logged-writes.ts";
import {
  createKeyCheck,
  finishWrite,
  isOutcomeUnknown,
  type LoggedResponse,
} from "../../write-log/send-logged.ts";
import type { ResendOptions } from "../../write-log/write-options.ts";
import { hasUnknownOutcome, isInFlight, type WriteRecord } from "../../write-log/write-record.ts";
import { type CheckMode, checkSubmission } from "./check-submission.ts";
import { type SubmissionInput, sendSubmission } from "./submission.ts";

export interface SubmissionPolicy extends ResendOptions {
  readonly check: CheckMode;
  /** Whether every warning about the file is printed. */
  readonly isVerbose?: boolean | undefined;
  readonly onDuplicate: OnDuplicate;
  /** Path of the job id in the response, instead of the usual names. */
  readonly jobIdPath?: string | undefined;
  readonly legacy?: boolean | undefined;
  /** Of the command line. Default: that of the same write if its outcome is unknown, or a new one. */
  readonly idempotencyKey?: string | undefined;
  /** Whether a new key is made from the submission, so that two machines have the same. */
  readonly idempotencyKeyFrom?: "content" | undefined;
  readonly writes: LoggedWrites;
  /** Default: the last write of this machine with unknown outcome. @param records its writes to the service */
  findKnown?(records: readonly WriteRecord[]): WriteRecord | null;
  confirm?(): Promise<void>;
  /** Whether the service keeps keys. Default: asks its contract. */
  isKeySupported?(): Promise<boolean>;
  isStopped?(): boolean;
  onProgress?(sentBytes: number): void;
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

type Step =
  | { readonly kind: "use"; readonly earlier: WriteRecord; readonly note: string | null }
  | { readonly kind: "wait"; readonly note: string }
  | { readonly kind: "resend"; readonly unknown: WriteRecord }
  | { readonly kind: "submit"; readonly warning: string | null; readonly sameKey: WriteRecord | undefined };

/** Between two looks at a submission that another process is sending. */
const POLL_MS = 200;

/** Submits a file, unless it was submitted before or may have been. Every command that submits uses this one function. */
export async function submitFile(
  context: Context,
  service: Service,
  submission: SubmissionInput,
  write: WriteDescription,
  policy: SubmissionPolicy,
): Promise<SubmissionResult> {
  const { writes } = policy;
  const isKeySupported = policy.isKeySupported ?? createKeyCheck(service, write.operation, policy.legacy);
  const newKey = policy.idempotencyKey ?? createKey(write, policy);
  const find = (records: readonly WriteRecord[]) => findStep(context, records, write, newKey, policy);
  let unknown: WriteRecord | null = null;
  let shown: string | null = null;
  const show = (note: string | null) => {
    if (note !== null && note !== shown) printMessage(context, note);
    shown = note;
  };
  let isChecked = false;
  try {
    for (;;) {
      const records = await writes.read(write);
      const step = find(records);
      if (step.kind === "use") {
        const { jobId, key } = step.earlier;
        show(step.note);
        await writes.repair(step.earlier, [step.earlier, ...records]);
        return { outcome: "earlier", jobId, key, error: null };
      }
      unknown = step.kind === "resend" ? step.unknown : null;
      if (step.kind === "wait") {
        show(step.note);
        await context.sleep(POLL_MS, context.signal);
        continue;
      }
      const earlier = unknown ?? (step.kind === "submit" ? step.sameKey : undefined);
      if (earlier) await refuseResend(context, earlier, policy, isKeySupported);
      if (!isChecked) {
        if (unknown === null) await checkSubmission(context, submission, policy);
        await policy.confirm?.();
        isChecked = true;
      }
      // Another submission may have stopped the run in the meantime.
      if (policy.isStopped?.()) return { outcome: "not_sent", error: null };
      show(step.kind === "submit" ? step.warning : describeResend(step.unknown));
      const begun = { ...write, key: unknown?.key ?? newKey };
      if (!(await writes.begin(begun, (current) => isSameStep(find(current), step)))) continue;
      const { jobIdPath, legacy, onProgress } = policy;
      const options = { jobIdPath, legacy, idempotencyKey: begun.key };
      const send = () => sendSubmission(service, submission, options, onProgress);
      const response = await finishWrite(context, writes, begun, send, isKeySupported);
      const { failure = null, jobId } = response;
      return { outcome: "accepted", jobId, key: begun.key, response, error: failure };
    }
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    return toFailure(error, unknown, newKey);
  }
}

const createKey = (
  { content }: WriteDescription,
  { idempotencyKeyFrom, onDuplicate }: SubmissionPolicy,
): string => (idempotencyKeyFrom === "content" && onDuplicate !== "submit" ? content : randomUUID());

/** @throws ClaimsError `duplicate` */
function findStep(
  context: Context,
  records: readonly WriteRecord[],
  write: WriteDescription,
  newKey: string,
  policy: SubmissionPolicy,
): Step {
  const { idempotencyKey, onDuplicate } = policy;
  const known = policy.findKnown ? policy.findKnown(records) : findUnknown(context, records, write, policy);
  if (known?.outcome === "accepted") return { kind: "use", earlier: known, note: null };
  const isUnknown = known !== null && known.outcome !== "refused";
  // Another process may be sending the same submission under another key.
  const others = isUnknown
    ? records.filter((record) => isInFlight(record, context) && record.key !== known.key)
    : records;
  const action = applyOnDuplicate(context, onDuplicate, others, write, idempotencyKey);
  if (isUnknown && action.kind === "submit") return { kind: "resend", unknown: known };
  if (action.kind !== "submit") return action;
  const sameKey = records.findLast(
    ({ content, key, outcome }) => key === newKey && content === write.content && outcome !== "refused",
  );
  return { ...action, sameKey };
}

/** A given key is that of another submission, unless something else than the service responded to it. */
function findUnknown(
  context: Context,
  records: readonly WriteRecord[],
  { content }: WriteDescription,
  { idempotencyKey, onDuplicate }: SubmissionPolicy,
): WriteRecord | null {
  const waits = onDuplicate === "skip" || onDuplicate === "fail";
  const unknown = records.filter(
    (record) =>
      record.content === content &&
      hasUnknownOutcome(record, context) &&
      !(waits && isInFlight(record, context)),
  );
  const last = idempotencyKey === undefined ? unknown.at(-1) : undefined;
  return unknown.find(isUnrecognized) ?? last ?? null;
}

/** Whether nothing happened in the log between two looks that matters for the submission. */
function isSameStep(one: Step, other: Step): boolean {
  if (one.kind === "resend" && other.kind === "resend") return one.unknown.key === other.unknown.key;
  return one.kind === other.kind;
}

const describeResend = ({ at, key }: WriteRecord): string =>
  `warning: the outcome of the same write at ${at} is unknown; sending it again with key ${key}`;

const REFUSING_CODES: ReadonlySet<string> = new Set(["not_a_text_table", "check_failed", "duplicate"]);

function toFailure(error: ClaimsError, unknown: WriteRecord | null, newKey: string): SubmissionResult {
  // The failure of a repeat says nothing about the attempt before it.
  if (unknown !== null || isOutcomeUnknown(error))
    return { outcome: "unknown", key: unknown?.key ?? newKey, error };
  const isRefused = error.kind !== "unreachable" && error.status !== undefined;
  return { outcome: isRefused || REFUSING_CODES.has(error.code) ? "refused" : "not_sent", error };
}
