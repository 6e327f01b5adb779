import { randomUUID } from "node:crypto";
import { ClaimsError, unreachableError } from "../../domain/errors.ts";
import { formatTime } from "../../domain/times.ts";
import type { Context } from "../context.ts";
import { printMessage } from "../output/stderr.ts";
import {
  decideWrite,
  hintToResolve,
  NO_KEYS,
  sendsDuplicates,
  unknownOutcomeError,
  type WriteChoice,
  type WriteDecision,
} from "./decide-write.ts";
import type { WriteDescription } from "./describe-write.ts";
import { finishWrite, isOutcomeUnknown, type LoggedResponse, type Sender } from "./finish-write.ts";
import type { BegunWrite, LoggedWrites } from "./logged-writes.ts";
import { nameWrite, type WriteRecord } from "./write-record.ts";

/**
 * What became of a write (product.md §4). `earlier`: the job of an earlier write is used. `forgotten`: a person gave up finding
 * out what became of an earlier write. `refused`: by the service, or by a check of this machine. `not_sent`: the service provably
 * did not execute it.
 */
export interface WriteResult {
  readonly outcome: "accepted" | "earlier" | "forgotten" | "unknown" | "refused" | "not_sent";
  readonly jobId: string | null;
  /** Of the write that was accepted, or whose outcome is unknown. */
  readonly key: string | null;
  /** Of a write that was accepted. */
  readonly response: LoggedResponse | null;
  /** Says what to do. An accepted or an earlier write with it needs a decision. Null for one that was stopped before. */
  readonly error: ClaimsError | null;
}

export interface WritePlan extends WriteChoice, Sender {
  readonly write: WriteDescription;
  /** The key of a new write; the default is a random one. */
  readonly newKey?: string | undefined;
  /**
   * Before the first attempt of this run to send a write that was not sent before.
   *
   * @returns another decision, if there is a reason for one
   * @throws ClaimsError to refuse it
   */
  check?(choice: WriteChoice): Promise<WriteDecision | null>;
  /** Before the first attempt of this run. @throws ClaimsError to refuse it */
  confirm?(): Promise<void>;
  /** Asks whether to send a duplicate. */
  askToRepeat?(question: string): Promise<boolean>;
  isStopped?(): boolean;
}

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
    if ("outcome" in step) return step;
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

const toResult = (
  outcome: WriteResult["outcome"],
  error: ClaimsError | null,
  { jobId, key }: Pick<WriteResult, "jobId" | "key"> = { jobId: null, key: null },
): WriteResult => ({ outcome, jobId, key, response: null, error });

/** @param record the earlier write whose outcome is open */
function toRefused(error: ClaimsError, record: WriteRecord | null): WriteResult {
  if (record === null) return toResult("refused", error);
  if (record.outcome === "accepted") return toResult("earlier", error, record);
  return toResult("unknown", error, { jobId: null, key: record.key });
}

/** The service refused the repeat of a write whose outcome stays unknown. */
function describeOpenRepeat(record: WriteRecord, error: ClaimsError): ClaimsError {
  const { kind, message, requestId, status } = error;
  if (kind !== "rejected" && kind !== "not_found") return error;
  const problem = `${message}; the outcome of the attempt at ${formatTime(record.at)} stays unknown`;
  const hint = hintToResolve(record);
  return unreachableError("outcome_unknown", problem, { status, requestId, hint, cause: error });
}

const REFUSING_CODES: ReadonlySet<string> = new Set(["not_a_text_table", "check_failed"]);

function toFailure(error: ClaimsError, repeated: WriteRecord | null, key: string): WriteResult {
  if (error.code === "log_line_unreadable") return toResult("not_sent", error);
  // The failure of a repeat says nothing about the attempt before it.
  if (isOutcomeUnknown(error)) return toResult("unknown", error, { jobId: null, key });
  if (repeated !== null)
    return toResult("unknown", describeOpenRepeat(repeated, error), { jobId: null, key });
  const isRefused = error.kind !== "unreachable" && error.status !== undefined;
  return toResult(isRefused || REFUSING_CODES.has(error.code) ? "refused" : "not_sent", error);
}

/** Between two looks at a write that another process is sending. */
const POLL_MS = 200;

/** A write whose intent is in the log. */
interface PreparedWrite {
  readonly begun: BegunWrite;
  readonly repeated: WriteRecord | null;
}

/** Looks at the log until the intent is in it, or the result is known without sending. */
async function prepareToSend(
  context: Context,
  writes: LoggedWrites,
  plan: WritePlan,
  newKey: string,
): Promise<PreparedWrite | WriteResult> {
  const { write } = plan;
  const show = createNotePrinter(context);
  let choice: WriteChoice = { ...plan, findOtherOfKey: (key) => writes.findOtherOfKey(key, write) };
  let isChecked = false;
  let isConfirmed = false;
  // Optimistic concurrency: `begin` refuses if the log changed since we decided; then we decide again.
  for (;;) {
    const records = await writes.read(write);
    const damage = writes.findUnreadableLine();
    if (damage && !sendsDuplicates(choice)) throw damage;
    if (damage) show(`warning: ${damage.message}; ${damage.hint}`);
    let decision = decideWrite(context, records, write, choice);
    if (decision.kind === "send" && !isChecked) {
      if (plan.isStopped?.()) return toResult("not_sent", null);
      decision = (await plan.check?.(choice)) ?? decision;
      isChecked = true;
    }
    switch (decision.kind) {
      case "refuse":
        return toRefused(decision.error, decision.record);
      case "use_earlier":
        await writes.keepInBatchLog(decision.record, write);
        show(decision.note);
        return toResult(
          decision.record.outcome === "forgotten" ? "forgotten" : "earlier",
          null,
          decision.record,
        );
      case "wait":
        show(decision.note);
        await context.sleep(POLL_MS, context.signal);
        break;
      case "check_key_support": {
        const obstacle = await findObstacle(writes, decision.record, plan);
        if (obstacle) return toRefused(obstacle, decision.record);
        choice = { ...choice, isKeySupportProved: true };
        break;
      }
      case "ask_person":
        if (!(await plan.askToRepeat?.(decision.question))) return toRefused(decision.error, null);
        choice = { ...choice, onDuplicate: "submit" };
        break;
      case "send":
      case "repeat": {
        if (!isConfirmed) await plan.confirm?.();
        isConfirmed = true;
        // Another write may have stopped the run in the meantime.
        if (plan.isStopped?.()) return toResult("not_sent", null);
        const repeated = decision.kind === "repeat" ? decision.record : null;
        const begun = { ...write, key: chooseKey(repeated, records, choice, newKey) };
        show(
          decision.kind === "repeat" ? describeRepeat(decision.record, write, begun.key) : decision.warning,
        );
        const isCurrent = (current: readonly WriteRecord[]) =>
          isSameDecision(decideWrite(context, current, write, choice), decision);
        if (await writes.begin(begun, isCurrent)) return { begun, repeated };
      }
    }
  }
}

/** Prints a note, unless it is the one before: while a write waits, each look has the same. */
function createNotePrinter(context: Context): (note: string | null) => void {
  let last: string | null = null;
  return (note) => {
    if (note !== null && note !== last) printMessage(context, note);
    last = note;
  };
}

/** The key of the command line, that of the repeated write, or a new one. */
function chooseKey(
  repeated: WriteRecord | null,
  records: readonly WriteRecord[],
  { idempotencyKey, onDuplicate }: WriteChoice,
  newKey: string,
): string {
  if (idempotencyKey !== undefined) return idempotencyKey;
  if (repeated !== null) return repeated.key;
  // A new key that is made from the content may be the one of the earlier write: a service that keeps keys would return the
  // job of that write. A person who wants a duplicate gets another key, and so does a write after an accepted one.
  const wasAccepted = records.some(({ key, outcome }) => key === newKey && outcome === "accepted");
  return onDuplicate === "submit" || wasAccepted ? randomUUID() : newKey;
}

/** Whether nothing happened in the log between two looks that matters for the write. */
function isSameDecision(one: WriteDecision, other: WriteDecision): boolean {
  if (one.kind === "repeat" && other.kind === "repeat") return one.record.key === other.record.key;
  return one.kind === other.kind;
}

/** Why a write cannot be repeated under its key: that would be a second write. The log keeps it, for `claims history`. */
async function findObstacle(
  writes: LoggedWrites,
  record: WriteRecord,
  { checkKeySupport }: WritePlan,
): Promise<ClaimsError | null> {
  try {
    if (await checkKeySupport()) return null;
  } catch (error) {
    if (error instanceof ClaimsError) return error;
    throw error;
  }
  await writes.recordMissingKeySupport(record);
  return unknownOutcomeError(record, NO_KEYS);
}

const describeRepeat = ({ at }: WriteRecord, write: WriteDescription, key: string): string =>
  `warning: the outcome of ${nameWrite(write)}, sent at ${formatTime(at)}, is unknown; sending it again with key ${key}`;
