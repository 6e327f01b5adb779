import { isSameProcess } from "../../process/identity.ts";
import type { Context } from "../context.ts";
import { type Intent, SUBMIT_OPERATION, type WriteEvent, type WriteOutcome } from "./events.ts";

/** A write and what became of it. */
export interface WriteRecord extends Omit<Intent, "type"> {
  /** When its process has begun the last attempt; RFC 3339. */
  readonly lastAttemptAt: string;
  /** `open`: its process has written no outcome, yet or ever. */
  readonly outcome: "open" | "accepted" | "refused" | "unknown";
  readonly jobId: string | null;
  /** The state of the job that was seen last. */
  readonly state: string | null;
  /** Why it was refused, or why the outcome is unknown. */
  readonly code: string | null;
  readonly status: number | null;
}

type MutableWriteRecord = { -readonly [Name in keyof WriteRecord]: WriteRecord[Name] };

/** A write that is being told, and its attempts of which no answer has said that they were not carried out. */
interface PendingWrite {
  readonly entry: MutableWriteRecord;
  openAttempts: number;
}

/** Who reads it, and which other processes it sees. */
type Observer = Pick<Context, "processes">;

/** The writes that records tell of, oldest first. */
export function toWriteRecords(records: readonly WriteEvent[]): WriteRecord[] {
  const writes = new Map<string, PendingWrite>();
  const latestOf = new Map<string, PendingWrite>();
  const jobs = new Map<string, MutableWriteRecord[]>();
  for (const record of records) {
    if (record.type === "intent") {
      const write = startAttempt(writes, record);
      latestOf.set(record.key, write).set(outcomeKey(record), write);
    } else if (record.type === "state") {
      for (const entry of jobs.get(jobKey(record)) ?? []) entry.state = record.state;
    } else {
      const write = latestOf.get(outcomeKey(record));
      if (write === undefined) continue;
      const { entry } = write;
      // Accepted once is accepted for good, however a repeat of it went.
      if (entry.outcome === "accepted" && record.type !== "accepted") continue;
      // That a repeat was refused, or never left, does not tell how the attempt before it went.
      if (record.type === "refused") write.openAttempts -= 1;
      if (record.type === "refused" && write.openAttempts > 0) {
        entry.outcome = "unknown";
        continue;
      }
      entry.outcome = record.type;
      entry.code = record.type === "accepted" ? null : record.code;
      entry.status = record.type === "unknown" ? null : record.status;
      if (record.type !== "accepted" || record.jobId === null) continue;
      entry.jobId = record.jobId;
      const name = jobKey({ baseUrl: entry.baseUrl, jobId: record.jobId });
      jobs.set(name, [...(jobs.get(name) ?? []), entry]);
    }
  }
  return [...writes.values()].map(({ entry }) => entry);
}

/** What an outcome is the end of; one that names no content is that of the latest write under its key. */
const outcomeKey = ({ key, content, pid }: WriteOutcome): string =>
  content === undefined ? key : [key, content, pid].join(" ");

const jobKey = ({ baseUrl, jobId }: { baseUrl: string; jobId: string }) => `${baseUrl} ${jobId}`;

/** The same write under the same key again is one entry: the later attempt decides how it went. */
function startAttempt(writes: Map<string, PendingWrite>, intent: Intent): PendingWrite {
  const { at, key, baseUrl, environment, content, instance = "" } = intent;
  const name = [key, baseUrl, environment, content, instance].join(" ");
  const known = writes.get(name);
  if (known) {
    const { entry } = known;
    entry.pid = intent.pid;
    entry.startTime = intent.startTime;
    entry.pidNamespace = intent.pidNamespace;
    entry.lastAttemptAt = at;
    if (entry.outcome !== "accepted") entry.outcome = "open";
    known.openAttempts += 1;
    return known;
  }
  const write: PendingWrite = { entry: createWriteRecord(intent), openAttempts: 1 };
  writes.set(name, write);
  return write;
}

/** Name by name: taken apart and spread, 10,000 of them take five times as long. */
const createWriteRecord = (intent: Intent): MutableWriteRecord => ({
  at: intent.at,
  key: intent.key,
  operation: intent.operation,
  baseUrl: intent.baseUrl,
  environment: intent.environment,
  content: intent.content,
  seller: intent.seller,
  file: intent.file,
  bytes: intent.bytes,
  pid: intent.pid,
  startTime: intent.startTime,
  pidNamespace: intent.pidNamespace,
  instance: intent.instance,
  lastAttemptAt: intent.at,
  outcome: "open",
  jobId: null,
  state: null,
  code: null,
  status: null,
});

/** How a write stands, in the words of `diligence history`; of an accepted one, the last known state of its job. */
export function describeStatus(entry: WriteRecord, observer: Observer): string {
  const { jobId, operation, outcome, pid, state, status } = entry;
  if (outcome === "accepted") {
    return state ?? (jobId === null && operation === SUBMIT_OPERATION ? "accepted, no id" : "accepted");
  }
  if (outcome === "refused") return status === null ? "not sent" : "refused";
  return hasUnknownOutcome(entry, observer) ? "unknown" : `in flight (pid ${pid})`;
}

/**
 * Whether nobody will tell any more how it went. What this process reads, it has not begun itself; a process that may live
 * where it cannot be seen, as in another container, is not waited for: the same write goes out under the same key.
 */
export function hasUnknownOutcome(
  { outcome, pid, startTime = "", pidNamespace = "" }: WriteRecord,
  { processes }: Observer,
): boolean {
  if (outcome !== "open") return outcome === "unknown";
  const sender = { pid, startTime, pidNamespace };
  return isSameProcess(sender, processes.own) || processes.statusOf(sender) !== "alive";
}
