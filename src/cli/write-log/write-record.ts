import { isSameProcess } from "../../process/identity.ts";
import type { Context } from "../context.ts";
import { type Intent, RESUME_OPERATION, SUBMIT_OPERATION } from "./events.ts";

export interface WriteRecord extends Intent {
  readonly lastAttemptAt: string;
  readonly openAttempts: number;
  /** `open`: its process has written no outcome. `forgotten`: a person gave up finding out; the write counts as sent. */
  readonly outcome: "open" | "accepted" | "refused" | "unknown" | "forgotten";
  /** Whether a person recorded the outcome. */
  readonly isResolved: boolean;
  readonly jobId: string | null;
  readonly state: string | null;
  /** The error code of a refused write, of an unknown outcome, or of an accepted write that needs a decision. */
  readonly code: string | null;
  /** Absolute path of the response to a write that needs a decision. */
  readonly responseFile?: string | undefined;
  readonly status: number | null;
  /** Whether the service executes a repeat under the key once; null if no run has found out. */
  readonly supportsIdempotencyKey: boolean | null;
}

/** Longer than a request may wait for a part of its response. */
const MAX_UNSEEN_SEND_MS = 120_000;

export type RecordContext = Pick<Context, "processes" | "now">;

/**
 * `doubtful`: accepted, but without a readable id or in another environment. `sending`: another process sends it. `unseen`: the
 * same, but the process cannot be seen, as in another container; it has two minutes. `unknown`: no process will write the
 * outcome.
 */
export type WriteStatus =
  | "accepted"
  | "doubtful"
  | "refused"
  | "forgotten"
  | "sending"
  | "unseen"
  | "unknown";

export function statusOf(record: WriteRecord, { now, processes }: RecordContext): WriteStatus {
  const { outcome, pid, startTime = "", pidNamespace = "" } = record;
  if (outcome === "accepted") return isDoubtful(record) ? "doubtful" : "accepted";
  if (outcome !== "open") return outcome;
  const sender = { pid, startTime, pidNamespace };
  // An open write of this process's pid is from an earlier process.
  const process = isSameProcess(sender, processes.own) ? "dead" : processes.statusOf(sender);
  if (process === "alive") return "sending";
  const age = Math.abs(now() - Date.parse(record.lastAttemptAt));
  return process === "unknown" && age < MAX_UNSEEN_SEND_MS ? "unseen" : "unknown";
}

/** The code of an attempt with an unknown outcome after which a person had the write sent again. */
export const SENT_AGAIN = "sent_again";

/** `diligence.submit of e.csv`, `diligence.resume of 5a902034…`, `POST /v1/clients` */
export function nameWrite({ file, operation, target }: Pick<WriteRecord, "file" | "operation" | "target">) {
  const subject = file ?? target;
  return subject === undefined ? operation : `${operation} of ${subject}`;
}

/** The job that a write made, or of which it is. */
export function findJobOf({
  jobId,
  operation,
  target,
}: Pick<WriteRecord, "jobId" | "operation" | "target">): string | null {
  const resumed = operation === RESUME_OPERATION ? target : undefined;
  return jobId ?? resumed ?? null;
}

/** The outcome of a write as `claims history` shows it. */
export function describeOutcome(record: WriteRecord, context: RecordContext): string {
  const { code, isResolved, jobId, operation, outcome, pid, status } = record;
  if (outcome === "accepted")
    return jobId === null && operation === SUBMIT_OPERATION ? "accepted, no id" : "accepted";
  if (outcome === "refused" && code === SENT_AGAIN) return code;
  if (outcome === "refused") return isResolved || status !== null ? "refused" : "not sent";
  if (outcome === "forgotten") return outcome;
  return statusOf(record, context) === "sending" ? `in flight (pid ${pid})` : "unknown";
}

/** A service keeps keys for a limited, assumed time of 24 hours. An hour less leaves room for clocks that differ. */
const DEFAULT_KEY_LIFETIME_MS = 23 * 3_600_000;

/** A later intent is of a clock that was wrong. */
const MAX_FUTURE_MS = 5 * 60_000;

/** Whether the service may have forgotten the key since. */
export function isKeyOld(record: WriteRecord, now: number, keyLifetimeMs = DEFAULT_KEY_LIFETIME_MS): boolean {
  const ageMs = now - Date.parse(record.at);
  return !(ageMs >= -MAX_FUTURE_MS && ageMs < keyLifetimeMs);
}

export const isDoubtful = ({ code, outcome }: Pick<WriteRecord, "code" | "outcome">): boolean =>
  outcome === "accepted" && code !== null;

/** Whether only a person can decide that a write with an unknown outcome is sent again. */
export const isUnrecognized = ({ code }: Pick<WriteRecord, "code">): boolean =>
  code === "response_unrecognized";

const OPEN: readonly WriteStatus[] = ["doubtful", "unseen", "unknown"];

/** Whether something is to be found out about the write, by a person or by the next run. */
export const isOutcomeOpen = (record: WriteRecord, context: RecordContext): boolean =>
  OPEN.includes(statusOf(record, context));

/** Whether a person must find out what became of a write whose outcome is open: no run repeats it by itself. */
export const needsDecision = (record: WriteRecord, { now }: Pick<Context, "now">): boolean =>
  isDoubtful(record) ||
  isUnrecognized(record) ||
  record.supportsIdempotencyKey === false ||
  isKeyOld(record, now());
