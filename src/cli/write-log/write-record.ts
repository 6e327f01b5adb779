import { isSameProcess } from "../../process/identity.ts";
import type { Service } from "../connection/service.ts";
import type { Context } from "../context.ts";
import { type Intent, SUBMIT_OPERATION, type WriteEvent, type WriteOutcome } from "./events.ts";

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
}

type MutableRecord = { -readonly [Name in keyof WriteRecord]: WriteRecord[Name] };

export function toWriteRecords(events: readonly WriteEvent[]): WriteRecord[] {
  const records = new WriteRecords();
  records.add(events);
  return records.list();
}

/** The writes that events describe. A repeat of a write with the same key is the same record. */
export class WriteRecords {
  readonly #records = new Map<string, MutableRecord>();
  readonly #latest = new Map<string, MutableRecord>();
  readonly #jobs = new Map<string, MutableRecord[]>();
  readonly #similar = new Map<string, MutableRecord[]>();

  /** Oldest first. */
  list(): WriteRecord[] {
    return [...this.#records.values()];
  }

  listSimilar({ content, fileSha256 = "" }: Pick<Intent, "content" | "fileSha256">): readonly WriteRecord[] {
    return [...new Set([content, fileSha256].flatMap((hash) => this.#similar.get(hash) ?? []))];
  }

  add(events: readonly WriteEvent[]): void {
    for (const event of events) this.#addEvent(event);
  }

  #index(record: MutableRecord): void {
    for (const hash of [record.content, record.fileSha256 ?? ""]) {
      const group = this.#similar.get(hash);
      if (group) group.push(record);
      else if (hash !== "") this.#similar.set(hash, [record]);
    }
  }

  #addEvent(event: WriteEvent): void {
    const records = this.#records;
    const latest = this.#latest;
    const jobs = this.#jobs;
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
      if (!records.has(name)) this.#index(record);
      records.set(name, record);
      latest.set(key, record).set(outcomeKey(event), record);
    } else if (event.type === "state") {
      for (const record of jobs.get(jobKey(event)) ?? []) record.state = event.state;
    } else if (event.type === "resolved") {
      const record = latest.get(outcomeKey(event));
      if (!record) return;
      record.isResolved = true;
      record.openAttempts = 0;
      record.outcome = event.outcome === "accepted" ? "accepted" : "refused";
      record.code = event.outcome === "forgotten" ? FORGOTTEN : null;
      addJob(jobs, record, event.jobId);
    } else {
      const record = latest.get(outcomeKey(event));
      // An accepted write stays accepted, whatever the outcome of a repeat.
      if (!record || (record.outcome === "accepted" && event.type !== "accepted")) return;
      if (event.type === "refused") record.openAttempts -= 1;
      const { type } = event;
      // The refusal of a repeat says nothing about the attempt before it.
      record.outcome = type === "refused" && record.openAttempts > 0 ? "unknown" : type;
      if (record.outcome !== type) return;
      record.code = event.code ?? null;
      record.responseFile = event.type === "refused" ? undefined : event.responseFile;
      record.status = type === "unknown" ? null : event.status;
      if (type === "accepted") addJob(jobs, record, event.jobId);
    }
  }
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

/** Whether a person must find out what became of the write. */
export const needsDecision = (record: WriteRecord, context: Pick<Context, "processes">): boolean =>
  hasUnknownOutcome(record, context) || (record.outcome === "accepted" && record.code !== null);

/** The destination of a write. The same content for another destination is another write. */
export type WriteScope = Pick<Intent, "baseUrl" | "environment" | "instance">;

export async function findScope({ connection, findInstance }: Service): Promise<WriteScope> {
  const { baseUrl, environment } = connection;
  const instance = await findInstance();
  return { baseUrl, environment, ...(instance !== null && { instance }) };
}

/** Whether a record is of the service, but of another sandbox at its address. */
export const isOfOtherInstance = (scope: WriteScope, record: WriteRecord): boolean =>
  isOfService(scope, record) && !isInScope(scope, record);

const isOfService = ({ baseUrl, environment }: WriteScope, record: WriteRecord): boolean =>
  record.baseUrl === baseUrl && record.environment === environment;

/** A record or a service without an instance counts if the base URL is the same. */
export const isInScope = (scope: WriteScope, record: WriteRecord): boolean =>
  isOfService(scope, record) &&
  (record.instance === undefined || scope.instance === undefined || record.instance === scope.instance);
