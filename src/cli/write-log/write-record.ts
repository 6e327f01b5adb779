import { formatProcess, isSameProcess } from "../../process/identity.ts";
import type { Connection } from "../connection/connection.ts";
import type { Context } from "../context.ts";
import { type Intent, SUBMIT_OPERATION, type WriteEvent, type WriteOutcome } from "./events.ts";

export interface WriteRecord extends Intent {
  readonly lastAttemptAt: string;
  /** Attempts that the service may have executed. */
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
}

type MutableRecord = { -readonly [Name in keyof WriteRecord]: WriteRecord[Name] };

/** The writes of a log, oldest first. A repeat of a write with the same key is the same record. */
export function toWriteRecords(events: readonly WriteEvent[]): WriteRecord[] {
  const records = new Map<string, MutableRecord>();
  const latest = new Map<string, MutableRecord>();
  const jobs = new Map<string, MutableRecord[]>();
  for (const event of events) {
    if (event.type === "intent") {
      const { at, key, baseUrl, environment, content, instance = "" } = event;
      const name = [key, baseUrl, environment, content, instance].join(" ");
      const record = records.get(name) ?? createRecord(event);
      record.pid = event.pid;
      record.startTime = event.startTime;
      record.pidNamespace = event.pidNamespace;
      record.lastAttemptAt = at;
      record.openAttempts += 1;
      if (record.outcome !== "accepted") record.outcome = "open";
      record.isResolved = false;
      records.set(name, record);
      latest.set(key, record).set(outcomeKey(event), record);
    } else if (event.type === "state") {
      for (const record of jobs.get(jobKey(event)) ?? []) record.state = event.state;
    } else if (event.type === "resolved") {
      const record = latest.get(outcomeKey(event));
      if (!record) continue;
      record.isResolved = true;
      record.openAttempts = 0;
      record.outcome = event.outcome === "accepted" ? "accepted" : "refused";
      record.code = event.outcome === "forgotten" ? FORGOTTEN : null;
      addJob(jobs, record, event.jobId);
    } else {
      const record = latest.get(outcomeKey(event));
      // An accepted write stays accepted, whatever the outcome of a repeat.
      if (!record || (record.outcome === "accepted" && event.type !== "accepted")) continue;
      if (event.type === "refused") record.openAttempts -= 1;
      const { type } = event;
      // The refusal of a repeat says nothing about the attempt before it.
      record.outcome = type === "refused" && record.openAttempts > 0 ? "unknown" : type;
      if (record.outcome !== type) continue;
      record.code = event.code ?? null;
      record.responseFile = event.type === "refused" ? undefined : event.responseFile;
      record.status = type === "unknown" ? null : event.status;
      if (type === "accepted") addJob(jobs, record, event.jobId);
    }
  }
  return [...records.values()];
}

/** The code of a write whose outcome cannot be determined any more. It counts as refused. */
const FORGOTTEN = "forgotten";

function addJob(jobs: Map<string, MutableRecord[]>, record: MutableRecord, jobId: string | null): void {
  if (jobId === null) return;
  record.jobId = jobId;
  const name = jobKey({ baseUrl: record.baseUrl, jobId });
  const records = jobs.get(name);
  if (records) records.push(record);
  else jobs.set(name, [record]);
}

/** Each field by name: a spread before more fields takes ten times as long, which shows in a log of 10,000 writes. */
const createRecord = (intent: Intent): MutableRecord => ({
  type: "intent",
  at: intent.at,
  key: intent.key,
  operation: intent.operation,
  baseUrl: intent.baseUrl,
  environment: intent.environment,
  content: intent.content,
  seller: intent.seller,
  file: intent.file,
  fileSha256: intent.fileSha256,
  path: intent.path,
  sentSha256: intent.sentSha256,
  mapping: intent.mapping,
  bytes: intent.bytes,
  pid: intent.pid,
  startTime: intent.startTime,
  pidNamespace: intent.pidNamespace,
  instance: intent.instance,
  lastAttemptAt: intent.at,
  openAttempts: 0,
  outcome: "open",
  isResolved: false,
  jobId: null,
  state: null,
  code: null,
  responseFile: undefined,
  status: null,
});

/** An outcome without content belongs to the latest write with its key. */
const outcomeKey = ({ key, content, pid }: WriteOutcome): string =>
  content === undefined ? key : [key, content, pid].join(" ");

const jobKey = ({ baseUrl, jobId }: { baseUrl: string; jobId: string }) => `${baseUrl} ${jobId}`;

/** The state of a write as `claims history` shows it; for an accepted one, the last known state of its job. */
export function describeStatus(record: WriteRecord, context: Pick<Context, "processes">): string {
  const { code, isResolved, jobId, operation, outcome, pid, state, status } = record;
  if (outcome === "accepted")
    return state ?? (jobId === null && operation === SUBMIT_OPERATION ? "accepted, no id" : "accepted");
  if (isResolved && outcome === "refused") return code ?? "refused";
  if (outcome === "refused") return status === null ? "not sent" : "refused";
  return hasUnknownOutcome(record, context) ? "unknown" : `in flight (pid ${pid})`;
}

/**
 * Whether no process will write the outcome. A process that cannot be seen, as in another container, does not count,
 * because the same write uses the same key. An open write of this process's pid is from an earlier process.
 */
export function hasUnknownOutcome(
  { outcome, pid, startTime = "", pidNamespace = "" }: WriteRecord,
  { processes }: Pick<Context, "processes">,
): boolean {
  if (outcome !== "open") return outcome === "unknown";
  const sender = { pid, startTime, pidNamespace };
  return isSameProcess(sender, processes.own) || processes.statusOf(sender) !== "alive";
}

/** Whether a person must find out what became of the write. */
export const needsDecision = (record: WriteRecord, context: Pick<Context, "processes">): boolean =>
  hasUnknownOutcome(record, context) || (record.outcome === "accepted" && record.code !== null);

/** The destination of a write. The same content for another destination is another write. */
export type WriteScope = Pick<Intent, "baseUrl" | "environment" | "instance">;

export async function findScope({ baseUrl, environment, findSandbox }: Connection): Promise<WriteScope> {
  const sandbox = await findSandbox?.();
  return { baseUrl, environment, ...(sandbox && { instance: formatProcess(sandbox) }) };
}

export const isInScope = (scope: WriteScope, record: WriteRecord): boolean =>
  record.baseUrl === scope.baseUrl &&
  record.environment === scope.environment &&
  record.instance === scope.instance;
