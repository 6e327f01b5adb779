import { isSameProcess } from "../../process/identity.ts";
import type { Context } from "../context.ts";
import { type Intent, SUBMIT_OPERATION } from "./events.ts";

export interface WriteRecord extends Intent {
  readonly lastAttemptAt: string;
  readonly openAttempts: number;
  /** `open`: its process has written no outcome. */
  readonly outcome: "open" | "accepted" | "refused" | "unknown";
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
  readonly keepsKeys: boolean | null;
}

/** The outcome of a write as `claims history` shows it. */
export function describeOutcome(record: WriteRecord, context: Pick<Context, "processes">): string {
  const { code, isResolved, jobId, operation, outcome, pid, status } = record;
  if (outcome === "accepted")
    return jobId === null && operation === SUBMIT_OPERATION ? "accepted, no id" : "accepted";
  if (isResolved && outcome === "refused") return code ?? "refused";
  if (outcome === "refused") return status === null ? "not sent" : "refused";
  return hasUnknownOutcome(record, context) ? "unknown" : `in flight (pid ${pid})`;
}

/**
 * Whether no process will write the outcome. A process that cannot be seen, as in another container, does not count,
 * because the same write uses the same key. An open write of this process's pid is from an earlier process.
 */
export const hasUnknownOutcome = (record: WriteRecord, context: Pick<Context, "processes">): boolean =>
  record.outcome === "open" ? statusOfSender(record, context) !== "alive" : record.outcome === "unknown";

/** Longer than a request may wait for a part of its response. */
const MAX_UNSEEN_SEND_MS = 120_000;

/** Whether another process sends the write at this moment. One that cannot be seen has two minutes for it. */
export function isInFlight(record: WriteRecord, context: Pick<Context, "processes" | "now">): boolean {
  if (record.outcome !== "open") return false;
  const status = statusOfSender(record, context);
  const age = Math.abs(context.now() - Date.parse(record.lastAttemptAt));
  return status === "alive" || (status === "unknown" && age < MAX_UNSEEN_SEND_MS);
}

function statusOfSender(
  { pid, startTime = "", pidNamespace = "" }: WriteRecord,
  { processes }: Pick<Context, "processes">,
) {
  const sender = { pid, startTime, pidNamespace };
  return isSameProcess(sender, processes.own) ? "dead" : processes.statusOf(sender);
}

/** A service keeps keys for a limited, assumed time of 24 hours. */
const DEFAULT_KEY_LIFETIME_MS = 23 * 3_600_000;

/** A later intent is of a clock that was wrong. */
const MAX_FUTURE_MS = 5 * 60_000;

/** Whether the service may have forgotten the key since. */
export function isKeyOld(record: WriteRecord, now: number, keyLifetimeMs = DEFAULT_KEY_LIFETIME_MS): boolean {
  const ageMs = now - Date.parse(record.at);
  return !(ageMs >= -MAX_FUTURE_MS && ageMs < keyLifetimeMs);
}

/** Whether it was accepted, but without a readable id or in another environment. */
export const isAcceptedInDoubt = (record: WriteRecord): boolean =>
  record.outcome === "accepted" && record.code !== null;

/** Whether only a person can decide that a write with an unknown outcome is sent again. */
export const isUnrecognized = ({ code }: Pick<WriteRecord, "code">): boolean =>
  code === "response_unrecognized";

/** Whether something is to be found out about the write, by a person or by the next run. */
export const isOutcomeOpen = (record: WriteRecord, context: Pick<Context, "processes">): boolean =>
  hasUnknownOutcome(record, context) || isAcceptedInDoubt(record);

/** Whether a person must find out what became of a write whose outcome is open: no run repeats it by itself. */
export const needsDecision = (record: WriteRecord, { now }: Pick<Context, "now">): boolean =>
  isAcceptedInDoubt(record) ||
  isUnrecognized(record) ||
  record.keepsKeys === false ||
  isKeyOld(record, now());
