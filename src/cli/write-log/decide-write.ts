import { categorizeState } from "../../domain/diligence/states.ts";
import { type ClaimsError, needsDecisionError, rejectedError } from "../../domain/errors.ts";
import { toShellWord } from "../../domain/shell.ts";
import { formatTime } from "../../domain/times.ts";
import type { WriteDescription } from "./describe-write.ts";
import { RESUME_OPERATION, SUBMIT_OPERATION } from "./events.ts";
import type { OnDuplicate, ResendOptions } from "./write-options.ts";
import {
  findJobOf,
  isDoubtful,
  isKeyOld,
  isUnrecognized,
  nameWrite,
  type RecordContext,
  statusOf,
  type WriteRecord,
} from "./write-record.ts";

/** What a command wants to become of a write that this machine has sent before, or may have sent. */
export interface WriteChoice extends ResendOptions {
  /** `ask`: a person decides. Writes other than submissions may be equal to earlier ones: `submit`. */
  readonly onDuplicate: OnDuplicate | "ask";
  /** The key that the user gave with `--idempotency-key`. */
  readonly idempotencyKey?: string | undefined;
  /** Whether this run has found the key in the contract of the service. */
  readonly isKeySupportProved?: boolean;
  /** The write of another content under a key. */
  findOtherOfKey?(key: string): WriteRecord | null;
  /** Takes an accepted or forgotten write as the result, if an earlier run of the same batch sent it. Returns whether it did. */
  claimBatchResult?(record: WriteRecord): boolean;
}

export type WriteDecision =
  /** Under a new key, or under the one of the command line. */
  | { readonly kind: "send"; readonly warning: string | null }
  /** Under its key: the service executes it once. */
  | { readonly kind: "repeat"; readonly record: WriteRecord }
  /** The job of the earlier write is the result; a forgotten write has none. */
  | { readonly kind: "use_earlier"; readonly record: WriteRecord; readonly note: string | null }
  /** Another process is sending it. */
  | { readonly kind: "wait"; readonly note: string }
  /** Whether the contract of the service lists the key: otherwise the outcome of the record is a decision that stays open. */
  | { readonly kind: "check_key_support"; readonly record: WriteRecord }
  /** A person may want to send it again. Without a terminal, `error` is the result. */
  | { readonly kind: "ask_person"; readonly question: string; readonly error: ClaimsError }
  /** `record` is the earlier write whose outcome is open; null for a duplicate. */
  | { readonly kind: "refuse"; readonly error: ClaimsError; readonly record: WriteRecord | null };

/**
 * Decides what becomes of a write (product.md §4, *Same submission*, *Not forgotten*, *Duplicates*). Every command that writes
 * calls this one function.
 *
 * @param records the writes to the same service with the same content, oldest first
 */
export function decideWrite(
  context: RecordContext,
  records: readonly WriteRecord[],
  write: Pick<WriteDescription, "file" | "operation">,
  choice: WriteChoice,
): WriteDecision {
  const { idempotencyKey } = choice;
  const keyConflict = idempotencyKey && choice.findOtherOfKey?.(idempotencyKey);
  if (keyConflict) return refuse(keyOfOtherContentError(keyConflict), null);

  const unknownOutcomes = records.filter((record) => isOutcomeUnknown(record, context, choice));
  // A response left these in doubt (product.md §4, *Not forgotten*): accepted in a doubtful way, or not one of the service.
  const needsPerson = records.find(isDoubtful) ?? unknownOutcomes.find(isUnrecognized);
  const resendable = findResendable(unknownOutcomes, choice);
  const unsettled = needsPerson ?? resendable;
  // The person has decided.
  if (unsettled && choice.resendUnknown) return { kind: "repeat", record: unsettled };
  if (needsPerson) return refuse(inDoubtError(needsPerson), needsPerson);
  const risk = resendable && explainSecondWriteRisk(resendable, context.now(), choice.keyLifetime);
  if (risk) return refuse(unknownOutcomeError(resendable, risk), resendable);

  const duplicate = decideAboutDuplicate(context, records, write, choice);
  if (duplicate?.kind === "wait") return duplicate;
  // An accepted job is a result, whatever became of other attempts.
  if (duplicate && duplicate.kind !== "send")
    return checkOtherAttempt(context, unknownOutcomes, choice) ?? duplicate;
  if (resendable) return decideResend(resendable, choice);
  return (
    duplicate ??
    decideAboutForgotten(records, write, choice) ?? {
      kind: "send",
      warning: describeFailedJob(records, write),
    }
  );
}

const hasFailed = ({ state }: WriteRecord): boolean => categorizeState(state ?? "") === "failed";

/** A failed job claims nothing, so that its file may be sent again; but resuming it would be a second job of the file then. */
function describeFailedJob(
  records: readonly WriteRecord[],
  { file, operation }: Pick<WriteDescription, "file" | "operation">,
): string | null {
  const last = records.findLast(({ outcome }) => outcome === "accepted");
  if (last === undefined || last.jobId === null || !hasFailed(last)) return null;
  return `warning: job ${last.jobId} of ${file ?? operation} failed; submitting it again as another job, so do not resume that one`;
}

/** A process that cannot be seen may send the same write, under the same key. A command that sends duplicates does not wait. */
function isOutcomeUnknown(record: WriteRecord, context: RecordContext, choice: WriteChoice): boolean {
  const status = statusOf(record, context);
  return status === "unknown" || (status === "unseen" && sendsDuplicates(choice));
}

/** For an attempt whose outcome a service without keys leaves open; null if no such check is left. */
function checkOtherAttempt(
  context: RecordContext,
  unknownOutcomes: readonly WriteRecord[],
  { isKeySupportProved }: WriteChoice,
): WriteDecision | null {
  if (isKeySupportProved) return null;
  const unchecked = unknownOutcomes.find(
    (record) => record.supportsIdempotencyKey === null && statusOf(record, context) === "unknown",
  );
  return unchecked ? { kind: "check_key_support", record: unchecked } : null;
}

function decideResend(
  record: WriteRecord,
  { idempotencyKey, isKeySupportProved }: WriteChoice,
): WriteDecision {
  if (idempotencyKey !== undefined && idempotencyKey !== record.key)
    return refuse(unknownOutcomeError(record, "this command names another key"), record);
  return { kind: isKeySupportProved ? "repeat" : "check_key_support", record };
}

/** A service may respond to a key that it knows with the result of the other content. */
function keyOfOtherContentError({ at, file, jobId, key }: WriteRecord): ClaimsError {
  const job = jobId === null ? "" : ` (job ${jobId})`;
  const message = `the key ${key} was used at ${formatTime(at)} for ${file ?? "another content"}${job}; nothing was sent`;
  return rejectedError("key_of_other_content", message, {
    hint: "use another key for each write, or leave out --idempotency-key",
  });
}

/** Whether the command sends what was sent before, without a question. */
export const sendsDuplicates = ({ onDuplicate }: WriteChoice): boolean =>
  onDuplicate === "warn" || onDuplicate === "submit";

/** Why the service might execute a repetition of a write as a second write; null if it should recognize the key. */
function explainSecondWriteRisk(record: WriteRecord, now: number, keyLifetime: WriteChoice["keyLifetime"]) {
  if (record.supportsIdempotencyKey === false) return NO_KEYS;
  return isKeyOld(record, now, keyLifetime) ? "the service may have forgotten the key since" : null;
}

/** Of the writes with an unknown outcome, the one that this command means. */
function findResendable(
  unknownOutcomes: readonly WriteRecord[],
  { idempotencyKey, onDuplicate }: WriteChoice,
): WriteRecord | null {
  const sameKey = unknownOutcomes.find(({ key }) => key === idempotencyKey);
  if (sameKey) return sameKey;
  // Who names another key and wants duplicates, or has two equal records to create, means another write.
  if (idempotencyKey !== undefined && onDuplicate === "submit") return null;
  const withoutKeys = unknownOutcomes.find(({ supportsIdempotencyKey }) => supportsIdempotencyKey === false);
  return withoutKeys ?? unknownOutcomes[0] ?? null;
}

/** Null if no equal write was accepted or is being sent, or if the command sends duplicates without a word. */
function decideAboutDuplicate(
  context: RecordContext,
  records: readonly WriteRecord[],
  { file, operation }: Pick<WriteDescription, "file" | "operation">,
  { claimBatchResult, idempotencyKey, onDuplicate }: WriteChoice,
): WriteDecision | null {
  const accepted = records.filter(({ outcome }) => outcome === "accepted");
  const batchResult = accepted.findLast((record) => claimBatchResult?.(record));
  if (batchResult) return { kind: "use_earlier", record: batchResult, note: null };
  if (onDuplicate === "submit") return null;
  const earlier =
    accepted.findLast((record) => !hasFailed(record)) ??
    records.findLast((record) => ["sending", "unseen"].includes(statusOf(record, context)));
  if (earlier === undefined) return null;
  const description = `${file ?? operation} ${describeEarlier(context, earlier, file)}`;
  const isSameKey = earlier.key === idempotencyKey;
  if (earlier.outcome !== "accepted" && (onDuplicate === "skip" || isSameKey))
    return { kind: "wait", note: `${description}; waiting for it` };
  return decideAboutEarlier(description, earlier, onDuplicate, isSameKey);
}

/**
 * For a write that repeats an earlier one, or a submission that differs from it in its form alone. Null if the command sends
 * duplicates without a word.
 *
 * @param description says so, with the earlier job
 * @param isSameKey whether the user gave the key of the earlier write
 */
export function decideAboutEarlier(
  description: string,
  earlier: WriteRecord,
  onDuplicate: WriteChoice["onDuplicate"],
  isSameKey = false,
): WriteDecision | null {
  if (onDuplicate === "submit") return null;
  const hasJob = earlier.outcome === "accepted" && earlier.jobId !== null;
  if (hasJob && (onDuplicate === "skip" || isSameKey))
    return { kind: "use_earlier", record: earlier, note: `${description}; using that job` };
  return decideToRepeat(description, duplicateError(description, earlier), onDuplicate);
}

/** What a person gave up on may have been executed, so that no run sends it again by itself. Null if the command sends duplicates. */
function decideAboutForgotten(
  records: readonly WriteRecord[],
  { file, operation }: Pick<WriteDescription, "file" | "operation">,
  { claimBatchResult, onDuplicate }: WriteChoice,
): WriteDecision | null {
  const forgotten = records.filter(({ outcome }) => outcome === "forgotten");
  const batchResult = forgotten.findLast((record) => claimBatchResult?.(record));
  if (batchResult) return { kind: "use_earlier", record: batchResult, note: null };
  const earlier = forgotten.at(-1);
  if (earlier === undefined || onDuplicate === "submit") return null;
  const description = `${file ?? operation} was sent at ${formatTime(earlier.at)}${describeSource(earlier, file)}, and its outcome was forgotten`;
  if (onDuplicate === "skip")
    return { kind: "use_earlier", record: earlier, note: `${description}; it is not sent again` };
  return decideToRepeat(description, forgottenError(description, earlier), onDuplicate);
}

/** For a duplicate whose job is not the result. @param error if it is not sent */
export function decideToRepeat(
  description: string,
  error: ClaimsError,
  onDuplicate: WriteChoice["onDuplicate"],
): WriteDecision {
  if (onDuplicate === "warn")
    return { kind: "send", warning: `warning: ${description}; submitting it again` };
  return onDuplicate === "ask"
    ? { kind: "ask_person", question: `${description}. Submit it again?`, error }
    : refuse(error, null);
}

/** Why a write cannot be repeated under its key: that would be a second write. */
export const NO_KEYS = "the service's contract has no Idempotency-Key";

const refuse = (error: ClaimsError, record: WriteRecord | null): WriteDecision => ({
  kind: "refuse",
  error,
  record,
});

function describeEarlier({ processes }: RecordContext, earlier: WriteRecord, newFile: string | null): string {
  const { at, jobId, outcome, pid } = earlier;
  const source = describeSource(earlier, newFile);
  if (outcome !== "accepted") return `is being sent by another command (pid ${pid})${source}`;
  // Of two equal files of one run, the time says nothing.
  const time = pid === processes.own.pid ? "" : ` at ${formatTime(at)}`;
  const job = jobId === null ? " without a job id" : ` as job ${jobId}`;
  return `was already accepted${time}${job}${source}`;
}

const describeSource = ({ file }: WriteRecord, newFile: string | null): string =>
  file === newFile ? "" : `, from ${file}`;

const duplicateError = (description: string, { jobId, outcome }: WriteRecord): ClaimsError =>
  rejectedError("duplicate", `${description}; it was not sent`, {
    jobId: jobId ?? undefined,
    hint:
      outcome === "accepted"
        ? `${jobId === null ? "ask the service for its job" : "--on-duplicate skip uses the earlier job"}; --on-duplicate submit sends it again`
        : "run the command again when the other one has ended, or wait for it with --on-duplicate skip",
  });

const forgottenError = (description: string, { key }: WriteRecord): ClaimsError =>
  rejectedError("duplicate", `${description}; it was not sent again`, {
    hint: `ask the service whether it has it; if not, \`claims history resolve ${toShellWord(key)} --refused\` lets the next run send it; --on-duplicate submit sends it now`,
  });

const DOUBTS = {
  job_id_reused: "was accepted as the job of another file",
  job_id_unknown: "was accepted without a readable job id",
  accepted_elsewhere: "was accepted in another environment",
  response_unrecognized: "has an unknown outcome: its response is not one of the claims service",
} as const;

export type Doubt = keyof typeof DOUBTS;

const isDoubt = (code: string | null): code is Doubt => code !== null && Object.hasOwn(DOUBTS, code);

/** The write was accepted without an id or in another environment, or something else than the service responded to it. */
function inDoubtError(record: WriteRecord): ClaimsError {
  const { at, key, responseFile } = record;
  const code = isDoubt(record.code) ? record.code : "response_unrecognized";
  const saved = responseFile === undefined ? "" : ` (saved as ${responseFile})`;
  const message = `${nameWrite(record)}, sent at ${formatTime(at)} under the key ${key}, ${DOUBTS[code]}${saved}; it is not sent again`;
  return needsDecisionError(code, message, {
    hint: hintToResolve(record),
    jobId: findJobOf(record) ?? undefined,
  });
}

/** @param reason why it is not repeated under its key */
export const unknownOutcomeError = (record: WriteRecord, reason: string): ClaimsError =>
  needsDecisionError(
    "outcome_unknown",
    `the outcome of ${nameWrite(record)}, sent at ${formatTime(record.at)} under the key ${record.key}, is unknown, and ${reason}; it was not sent again`,
    {
      hint: `${hintToResolve(record)}; --resend-unknown sends it again`,
      jobId: findJobOf(record) ?? undefined,
    },
  );

/** Names the command that ends an open decision. It sends nothing. */
export function hintToResolve({
  code,
  jobId,
  key,
  operation,
  target,
}: Pick<WriteRecord, "code" | "jobId" | "key" | "operation" | "target">): string {
  const resolve = `claims history resolve ${toShellWord(key)}`;
  if (code === "accepted_elsewhere") {
    const outcome = jobId === null ? "--accepted" : `--job-id ${toShellWord(jobId)}`;
    return `check the base URL, the credential and --environment; \`${resolve} ${outcome}\` ends this`;
  }
  if (code === "job_id_unknown")
    return `ask the service for the id of the job; then \`${resolve} --job-id ID\`, or \`claims history resolve --all --job-id-path PATH\``;
  if (target !== undefined) {
    const place = `${operation === RESUME_OPERATION ? "job " : ""}${target}`;
    return `look at ${place} on the service; then \`${resolve} --accepted\`, or \`${resolve} --refused\` if nothing has changed there`;
  }
  // The id of another file is no proposal.
  const id = jobId === null || code === "job_id_reused" ? "ID" : toShellWord(jobId);
  const accepted = operation === SUBMIT_OPERATION ? `--job-id ${id}` : "--accepted";
  return `ask the service whether it has it; then \`${resolve} ${accepted}\`, or \`${resolve} --refused\` if not`;
}
