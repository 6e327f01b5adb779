import { randomUUID } from "node:crypto";
import { ClaimsError, needsDecisionError, rephraseError, unreachableError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import { keepResponse } from "../files/save-response.ts";
import { printMessage } from "../output/stderr.ts";
import { findDoubt, type WriteResponse } from "./accepted-response.ts";
import {
  decideWrite,
  hintToResolve,
  NO_KEYS,
  unknownOutcomeError,
  type WriteChoice,
  type WriteDecision,
} from "./decide-write.ts";
import type { WriteDescription } from "./describe-write.ts";
import type { BegunWrite, LoggedWrites, Outcome } from "./logged-writes.ts";
import { hasUnknownOutcome, isInFlight, isUnrecognized, type WriteRecord } from "./write-record.ts";

export interface LoggedResponse extends WriteResponse {
  readonly jobId: string | null;
  /** Why a person must make a decision about it. */
  readonly failure?: ClaimsError | undefined;
}

/** What became of a write (product.md §4). `error` says what to do. */
export type WriteResult =
  /** With an error, it needs a decision by a person; then the job id may be null. */
  | {
      readonly outcome: "accepted";
      readonly jobId: string | null;
      readonly key: string;
      readonly response: LoggedResponse;
      readonly error: ClaimsError | null;
    }
  /** The job of an earlier write is used. With an error, that write needs a decision by a person. */
  | {
      readonly outcome: "earlier";
      readonly jobId: string | null;
      readonly key: string;
      readonly error: ClaimsError | null;
    }
  | { readonly outcome: "unknown"; readonly key: string | null; readonly error: ClaimsError }
  /** By the service, or by a check of this machine. */
  | { readonly outcome: "refused"; readonly error: ClaimsError }
  /** The service provably did not execute it. Without an error, the run was stopped before. */
  | { readonly outcome: "not_sent"; readonly error: ClaimsError | null };

export interface WritePlan extends WriteChoice {
  readonly write: WriteDescription;
  /** Default: a random key. */
  readonly newKey?: string | undefined;
  send(idempotencyKey: string): Promise<WriteResponse>;
  /** Whether the service executes each key once. */
  isKeySupported(): Promise<boolean>;
  /** Before the first attempt of this run to send a write that was not sent before. @throws ClaimsError to refuse it */
  check?(): Promise<void>;
  /** Before the first attempt of this run. @throws ClaimsError to refuse it */
  confirm?(): Promise<void>;
  /** Asks whether to send a duplicate. */
  askToRepeat?(question: string): Promise<boolean>;
  isStopped?(): boolean;
}

/** Between two looks at a write that another process is sending. */
const POLL_MS = 200;

/**
 * Sends a write, unless it was sent before or may have been. The intent is on disk before the request (product.md §4), and
 * looking and writing it are one step under the lock of the log.
 */
export async function performWrite(
  context: Context,
  writes: LoggedWrites,
  plan: WritePlan,
): Promise<WriteResult> {
  let key = plan.idempotencyKey ?? plan.newKey ?? randomUUID();
  let repeated: WriteRecord | null = null;
  try {
    const step = await prepareToSend(context, writes, plan, key);
    if (step === null) return { outcome: "not_sent", error: null };
    if (step.kind === "use_earlier") return toEarlier(step.record, null);
    if (step.kind === "refuse") {
      const { error, record } = step;
      if (record === null) return { outcome: "refused", error };
      return record.outcome === "accepted"
        ? toEarlier(record, error)
        : { outcome: "unknown", key: record.key, error };
    }
    repeated = step.repeated;
    key = step.begun.key;
    const response = await finishWrite(context, writes, step.begun, plan);
    const { failure = null, jobId } = response;
    return { outcome: "accepted", jobId, key, response, error: failure };
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    return toFailure(error, repeated, key);
  }
}

type PreparedWrite =
  | { readonly kind: "begun"; readonly begun: BegunWrite; readonly repeated: WriteRecord | null }
  | Extract<WriteDecision, { kind: "use_earlier" | "refuse" }>;

const toEarlier = ({ jobId, key }: WriteRecord, error: ClaimsError | null): WriteResult => ({
  outcome: "earlier",
  jobId,
  key,
  error,
});

/** Looks at the log until the intent is in it, or an earlier write is the result. Null if the run was stopped. */
async function prepareToSend(
  context: Context,
  writes: LoggedWrites,
  plan: WritePlan,
  newKey: string,
): Promise<PreparedWrite | null> {
  const { write } = plan;
  let choice: WriteChoice = plan;
  let key = newKey;
  let isPrepared = false;
  let shown: string | null = null;
  const show = (note: string | null) => {
    if (note !== null && note !== shown) printMessage(context, note);
    shown = note;
  };
  for (;;) {
    const decide = (records: readonly WriteRecord[]) => decideWrite(context, records, write, choice);
    const records = await writes.read(write);
    const damage = writes.findUnreadableLine();
    if (damage && choice.onDuplicate !== "warn" && choice.onDuplicate !== "submit") throw damage;
    if (damage) show(`warning: ${damage.message}; ${damage.hint}`);
    const decision = decide(records);
    const undecided = findUndecided(context, records, decision);
    const obstacle = undecided && !plan.resendUnknown ? await findObstacle(writes, undecided, plan) : null;
    if (obstacle) return { kind: "refuse", error: obstacle, record: undecided };
    if (decision.kind === "refuse") return decision;
    if (decision.kind === "use_earlier") {
      show(decision.note);
      return decision;
    }
    if (decision.kind === "wait") {
      show(decision.note);
      await context.sleep(POLL_MS, context.signal);
      continue;
    }
    if (decision.kind === "ask") {
      if (!(await plan.askToRepeat?.(decision.question)))
        return { kind: "refuse", error: decision.error, record: null };
      choice = { ...plan, onDuplicate: "submit" };
      // A key that is made from the content would get the earlier job.
      key = randomUUID();
      continue;
    }
    const repeated = decision.kind === "repeat" ? decision.record : null;
    if (!isPrepared) {
      if (repeated === null) await plan.check?.();
      await plan.confirm?.();
      isPrepared = true;
    }
    // Another write may have stopped the run in the meantime.
    if (plan.isStopped?.()) return null;
    // A service that keeps the key would return the earlier job.
    if (records.some((record) => record.key === key && record.outcome === "accepted")) key = randomUUID();
    const begun = { ...write, key: plan.idempotencyKey ?? repeated?.key ?? key };
    show(decision.kind === "repeat" ? describeRepeat(decision.record, begun.key) : decision.warning);
    if (await writes.begin(begun, (current) => isSameDecision(decide(current), decision)))
      return { kind: "begun", begun, repeated };
  }
}

/** Whether nothing happened in the log between two looks that matters for the write. */
function isSameDecision(one: WriteDecision, other: WriteDecision): boolean {
  if (one.kind === "repeat" && other.kind === "repeat") return one.record.key === other.record.key;
  return one.kind === other.kind;
}

/** A write with an unknown outcome that must be repeatable under its key: otherwise it is a decision that stays open. */
function findUndecided(
  context: Context,
  records: readonly WriteRecord[],
  decision: WriteDecision,
): WriteRecord | null {
  if (decision.kind === "repeat") return decision.record;
  const isAboutDuplicate =
    decision.kind === "use_earlier" ||
    decision.kind === "ask" ||
    (decision.kind === "refuse" && decision.record === null);
  if (!isAboutDuplicate) return null;
  const isUndetermined = (record: WriteRecord) =>
    record.keepsKeys === null && hasUnknownOutcome(record, context) && !isInFlight(record, context);
  return records.find(isUndetermined) ?? null;
}

/** Why a write cannot be repeated under its key: that would be a second write. The log keeps it, for `claims history`. */
async function findObstacle(
  writes: LoggedWrites,
  record: WriteRecord,
  { isKeySupported }: WritePlan,
): Promise<ClaimsError | null> {
  try {
    if (await isKeySupported()) return null;
  } catch (error) {
    if (error instanceof ClaimsError) return error;
    throw error;
  }
  await writes.recordMissingKeySupport(record);
  return unknownOutcomeError(record, NO_KEYS);
}

const describeRepeat = ({ at }: WriteRecord, key: string): string =>
  `warning: the outcome of the same write at ${at} is unknown; sending it again with key ${key}`;

/** The service refused the repeat of a write whose outcome stays unknown. */
const describeOpenRepeat = (record: WriteRecord, error: ClaimsError): ClaimsError =>
  error.kind === "rejected" || error.kind === "not_found"
    ? unreachableError(
        "outcome_unknown",
        `${error.message}; the outcome of the attempt at ${record.at} stays unknown`,
        {
          status: error.status,
          requestId: error.requestId,
          hint: hintToResolve(record),
          cause: error,
        },
      )
    : error;

const REFUSING_CODES: ReadonlySet<string> = new Set(["not_a_text_table", "check_failed"]);

function toFailure(error: ClaimsError, repeated: WriteRecord | null, key: string): WriteResult {
  if (error.code === "log_line_unreadable") return { outcome: "not_sent", error };
  // The failure of a repeat says nothing about the attempt before it.
  if (isOutcomeUnknown(error)) return { outcome: "unknown", key, error };
  if (repeated !== null) return { outcome: "unknown", key, error: describeOpenRepeat(repeated, error) };
  const isRefused = error.kind !== "unreachable" && error.status !== undefined;
  return { outcome: isRefused || REFUSING_CODES.has(error.code) ? "refused" : "not_sent", error };
}

/** Sends a write whose intent is in the log, and logs what became of it. */
async function finishWrite(
  context: Context,
  writes: LoggedWrites,
  write: BegunWrite,
  plan: WritePlan,
): Promise<LoggedResponse> {
  let response: WriteResponse;
  try {
    response = await plan.send(write.key);
  } catch (error) {
    throw await endFailedWrite(writes, write, plan, error);
  }
  const { jobId = write.jobId, status } = response;
  const doubt = findDoubt({ ...write, ...writes.scope }, { ...response, jobId });
  if (doubt === null) {
    const unlogged = await writes.end(write, { type: "accepted", jobId, status });
    return { ...response, jobId, failure: unlogged ? describeUnlogged(unlogged, jobId) : undefined };
  }
  const saved = await keepResponse(context, "write", response.body);
  const failure = rephraseError(doubt, { message: `${doubt.message}; ${saved.note}` });
  const details = { code: failure.code, responseFile: saved.path };
  if (isOutcomeUnknown(failure)) {
    await writes.end(write, { type: "unknown", ...details });
    throw failure;
  }
  await writes.end(write, { type: "accepted", ...details, jobId, status });
  return { ...response, jobId, failure };
}

/** The next run does not know that the write was accepted. */
const describeUnlogged = (error: ClaimsError, jobId: string | null): ClaimsError =>
  rephraseError(error, {
    message: `the service accepted the write${jobId === null ? "" : ` as job ${jobId}`}, and ${error.message}`,
    jobId: jobId ?? undefined,
    retryable: false,
  });

/** Logs the outcome of a write that failed. @returns the error for the user */
async function endFailedWrite(
  writes: LoggedWrites,
  write: BegunWrite,
  { isKeySupported }: WritePlan,
  error: unknown,
): Promise<unknown> {
  // Another error may have happened at any point.
  if (!(error instanceof ClaimsError)) {
    await writes.end(write, { type: "unknown", code: "unexpected" });
    return error;
  }
  const { code, status = null } = error;
  if (!isOutcomeUnknown(error)) {
    await writes.end(write, { type: "refused", code, status });
    return error;
  }
  if (isUnrecognized(error)) {
    await writes.end(write, { type: "unknown", code });
    return rephraseError(error, { hint: hintToResolve({ ...write, code }) });
  }
  if (error.kind === "interrupted") {
    await writes.end(write, { type: "unknown", code });
    return rephraseError(error, { hint: RUN_AGAIN_IF_KEYS });
  }
  // Null if the service does not respond any more: the next run finds out.
  const keepsKeys = await isKeySupported().catch(() => null);
  const outcome: Outcome = { type: "unknown", code };
  await writes.end(write, keepsKeys === null ? outcome : { ...outcome, keepsKeys });
  if (keepsKeys === true) return rephraseError(error, { hint: RUN_AGAIN, retryable: true });
  if (keepsKeys === null) return rephraseError(error, { hint: RUN_AGAIN_IF_KEYS, retryable: false });
  const { message, requestId, cause } = error;
  return needsDecisionError("outcome_unknown", `${message}; the service's contract has no Idempotency-Key`, {
    status: error.status,
    requestId,
    cause,
    hint: `${hintToResolve({ ...write, code })}; --resend-unknown sends it again`,
  });
}

/** Whether the service may have executed a write that failed with this error. */
export const isOutcomeUnknown = ({ code }: ClaimsError): boolean =>
  code === "outcome_unknown" || code === "interrupted_unknown" || code === "response_unrecognized";

const RUN_AGAIN = "run the command again: it uses the same key; `claims history --unknown` lists such writes";

const RUN_AGAIN_IF_KEYS =
  "run the command again: it uses the same key, if the service keeps keys; `claims history --unknown` lists such writes";
