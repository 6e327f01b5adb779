import { isSameProcess } from "../../process/identity.ts";
import type { Context } from "../context.ts";
import { type Intent, type JournalRecord, type Outcome, SUBMISSION } from "./record.ts";

/** A write and what became of it. */
export interface JournalEntry extends Omit<Intent, "type"> {
  /** When its process has begun the last attempt; RFC 3339. */
  readonly begunAt: string;
  /** `open`: its process has written no outcome, yet or ever. */
  readonly outcome: "open" | "accepted" | "refused" | "unknown";
  readonly jobId: string | null;
  /** The state of the job that was seen last. */
  readonly state: string | null;
  /** Why it was refused, or why the outcome is unknown. */
  readonly code: string | null;
  readonly status: number | null;
}

type Draft = { -readonly [Name in keyof JournalEntry]: JournalEntry[Name] };

/** A write that is being told, and its attempts of which no answer has said that they were not carried out. */
interface Telling {
  readonly entry: Draft;
  unsettled: number;
}

/** Who reads it, and which other processes it sees. */
type Observer = Pick<Context, "processes">;

/** The writes that records tell of, oldest first. */
export function entriesOf(records: readonly JournalRecord[]): JournalEntry[] {
  const tellings = new Map<string, Telling>();
  const latestOf = new Map<string, Telling>();
  const jobs = new Map<string, Draft[]>();
  for (const record of records) {
    if (record.type === "intent") {
      const telling = begun(tellings, record);
      latestOf.set(record.key, telling).set(nameOf(record), telling);
    } else if (record.type === "state") {
      for (const entry of jobs.get(jobName(record)) ?? []) entry.state = record.state;
    } else {
      const telling = latestOf.get(nameOf(record));
      if (telling === undefined) continue;
      const { entry } = telling;
      // Accepted once is accepted for good, however a repeat of it went.
      if (entry.outcome === "accepted" && record.type !== "accepted") continue;
      // That a repeat was refused, or never left, does not tell how the attempt before it went.
      if (record.type === "refused") telling.unsettled -= 1;
      if (record.type === "refused" && telling.unsettled > 0) {
        entry.outcome = "unknown";
        continue;
      }
      entry.outcome = record.type;
      entry.code = record.type === "accepted" ? null : record.code;
      entry.status = record.type === "unknown" ? null : record.status;
      if (record.type !== "accepted" || record.jobId === null) continue;
      entry.jobId = record.jobId;
      const name = jobName({ baseUrl: entry.baseUrl, jobId: record.jobId });
      jobs.set(name, [...(jobs.get(name) ?? []), entry]);
    }
  }
  return [...tellings.values()].map(({ entry }) => entry);
}

/** What an outcome is the end of; one that names no content is that of the latest write under its key. */
const nameOf = ({ key, content, pid }: Outcome): string =>
  content === undefined ? key : [key, content, pid].join(" ");

const jobName = ({ baseUrl, jobId }: { baseUrl: string; jobId: string }) => `${baseUrl} ${jobId}`;

/** The same write under the same key again is one entry: the later attempt decides how it went. */
function begun(tellings: Map<string, Telling>, intent: Intent): Telling {
  const { at, key, baseUrl, environment, content, instance = "" } = intent;
  const name = [key, baseUrl, environment, content, instance].join(" ");
  const known = tellings.get(name);
  if (known) {
    const { entry } = known;
    entry.pid = intent.pid;
    entry.startTime = intent.startTime;
    entry.pidNamespace = intent.pidNamespace;
    entry.begunAt = at;
    if (entry.outcome !== "accepted") entry.outcome = "open";
    known.unsettled += 1;
    return known;
  }
  const telling: Telling = { entry: openEntry(intent), unsettled: 1 };
  tellings.set(name, telling);
  return telling;
}

/** Name by name: taken apart and spread, 10,000 of them take five times as long. */
const openEntry = (intent: Intent): Draft => ({
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
  begunAt: intent.at,
  outcome: "open",
  jobId: null,
  state: null,
  code: null,
  status: null,
});

/** How a write stands, in the words of `diligence history`; of an accepted one, the last known state of its job. */
export function standingOf(entry: JournalEntry, observer: Observer): string {
  const { jobId, operation, outcome, pid, state, status } = entry;
  if (outcome === "accepted") {
    return state ?? (jobId === null && operation === SUBMISSION ? "accepted, no id" : "accepted");
  }
  if (outcome === "refused") return status === null ? "not sent" : "refused";
  return isUnknown(entry, observer) ? "unknown" : `in flight (pid ${pid})`;
}

/**
 * Whether nobody will tell any more how it went. What this process reads, it has not begun itself; a process that may live
 * where it cannot be seen, as in another container, is not waited for: the same write goes out under the same key.
 */
export function isUnknown(
  { outcome, pid, startTime = "", pidNamespace = "" }: JournalEntry,
  { processes }: Observer,
): boolean {
  if (outcome !== "open") return outcome === "unknown";
  const sender = { pid, startTime, pidNamespace };
  return isSameProcess(sender, processes.own) || processes.statusOf(sender) !== "alive";
}
