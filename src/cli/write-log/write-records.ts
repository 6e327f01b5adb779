import type { Accepted, Intent, Refused, Resolved, Unknown, WriteEvent, WriteName } from "./events.ts";
import { isDoubtful, SENT_AGAIN, type WriteRecord } from "./write-record.ts";

type MutableRecord = { -readonly [Name in keyof WriteRecord]: WriteRecord[Name] };

export function toWriteRecords(events: readonly WriteEvent[]): WriteRecord[] {
  const records = new WriteRecords();
  records.add(events);
  return records.list();
}

/** The writes that events describe. A repeat of a write with the same key is the same record, unless it made another job. */
export class WriteRecords {
  readonly #all: MutableRecord[] = [];
  readonly #byContent = new Map<string, MutableRecord[]>();
  /** The last attempt of each write. */
  readonly #latest = new Map<string, MutableRecord>();
  readonly #jobs = new Map<string, MutableRecord[]>();
  /** Writes with the job ids of their acceptances. */
  readonly #responses = new Set<string>();
  /** The attempts before the last one of a write that a person had sent again. */
  readonly #earlierAttempts = new Map<string, MutableRecord[]>();

  /** Oldest first. */
  list(): WriteRecord[] {
    return [...this.#all];
  }

  /** The writes with the same content, oldest first. */
  listSame(content: string): readonly WriteRecord[] {
    return this.#byContent.get(content) ?? [];
  }

  add(events: readonly WriteEvent[]): void {
    for (const event of events) this.#addEvent(event);
  }

  #addEvent(event: WriteEvent): void {
    if (event.type === "intent") this.#addIntent(event);
    else if (event.type === "accepted") this.#addAcceptance(event);
    else if (event.type === "refused" || event.type === "unknown") this.#addFailure(event);
    else if (event.type === "resolved") this.#addResolution(event);
    else if (event.type === "state")
      for (const record of this.#jobs.get(jobKey(event)) ?? []) record.state = event.state;
  }

  #addIntent(event: Intent): void {
    const name = nameOf(event);
    const known = this.#latest.get(name);
    // After an acceptance, it is another write, unless the service repeats its response.
    const isOtherWrite = known === undefined || known.outcome === "accepted" || isSentAgain(known);
    if (known !== undefined && isOtherWrite) addTo(this.#earlierAttempts, name, known);
    const record = isOtherWrite ? this.#addRecord(createRecord(event)) : known;
    record.pid = event.pid;
    record.startTime = event.startTime;
    record.pidNamespace = event.pidNamespace;
    record.lastAttemptAt = event.at;
    record.openAttempts += 1;
    record.outcome = "open";
    record.isResolved = false;
    this.#latest.set(name, record);
  }

  #addRecord(record: MutableRecord): MutableRecord {
    this.#all.push(record);
    addTo(this.#byContent, record.content, record);
    return record;
  }

  #addResolution(event: Resolved): void {
    const name = nameOf(event);
    const latest = this.#latest.get(name);
    const attempts = [...(this.#earlierAttempts.get(name) ?? []), ...(latest ? [latest] : [])];
    // Without an open decision, it replaces an earlier one.
    const record =
      attempts.findLast(isUndecided) ?? attempts.findLast(({ isResolved }) => isResolved) ?? latest;
    if (!record) return;
    // The person may not know the id that a response named.
    const isIdKept = event.outcome === "accepted" && event.jobId === null && !record.isResolved;
    if (!isIdKept) this.#removeJob(record);
    this.#addJob(record, event.jobId);
    record.isResolved = true;
    record.openAttempts = 0;
    record.outcome = event.outcome;
    record.code = null;
    this.#closeEarlierAttempts(record);
  }

  /** A person who sent the write again has decided about the attempts before. */
  #closeEarlierAttempts(record: MutableRecord): void {
    for (const earlier of this.#earlierAttempts.get(nameOf(record)) ?? []) {
      if (earlier === record || !isUndecided(earlier)) continue;
      earlier.code = earlier.outcome === "accepted" ? null : SENT_AGAIN;
      if (earlier.outcome !== "accepted") earlier.outcome = "refused";
    }
  }

  #addFailure(event: Refused | Unknown): void {
    const known = this.#latest.get(nameOf(event));
    // Of two attempts at the same time, one may have been accepted before the outcome of the other one.
    if (!known || known.outcome === "accepted") return;
    if (event.type === "refused") known.openAttempts -= 1;
    // The refusal of a repeat says nothing about the attempt before it.
    if (event.type === "refused" && known.openAttempts > 0) {
      known.outcome = "unknown";
      return;
    }
    known.outcome = event.type;
    known.isResolved = false;
    known.code = event.code;
    known.responseFile = event.type === "unknown" ? event.responseFile : undefined;
    known.status = event.type === "refused" ? event.status : null;
    if (event.type === "unknown")
      known.supportsIdempotencyKey = event.supportsIdempotencyKey ?? known.supportsIdempotencyKey;
  }

  #addAcceptance(event: Accepted): void {
    const { jobId } = event;
    const known = this.#latest.get(nameOf(event));
    const isOtherJob = known?.outcome === "accepted" && known.jobId !== null && known.jobId !== jobId;
    // Without its intent, which a damaged line may have had, an acceptance still counts.
    const record = known && !isOtherJob ? known : this.#addRecord(createAcceptedRecord(event, known));
    const response = `${nameOf(record)} ${jobId}`;
    const isRepeatedResponse = jobId !== null && record.jobId !== jobId && this.#responses.has(response);
    this.#responses.add(response);
    record.outcome = "accepted";
    record.isResolved = false;
    record.code = event.code ?? null;
    record.responseFile = event.responseFile;
    record.status = event.status;
    this.#latest.set(nameOf(record), record);
    if (isRepeatedResponse) this.#removeRecord(record);
    else this.#addJob(record, jobId);
    if (record.code === null) this.#closeEarlierAttempts(record);
  }

  /** The service kept the key, and repeated the response to an earlier attempt. */
  #removeRecord(record: MutableRecord): void {
    for (const list of [this.#all, this.#byContent.get(record.content) ?? []]) {
      const index = list.lastIndexOf(record);
      if (index !== -1) list.splice(index, 1);
    }
  }

  #addJob(record: MutableRecord, jobId: string | null): void {
    if (jobId === null) return;
    record.jobId = jobId;
    addTo(this.#jobs, jobKey({ baseUrl: record.baseUrl, jobId }), record);
  }

  /** The job that a doubtful response named is not the job of the write, as far as a person knows. */
  #removeJob(record: MutableRecord): void {
    if (record.jobId === null) return;
    const records = this.#jobs.get(jobKey({ baseUrl: record.baseUrl, jobId: record.jobId })) ?? [];
    records.splice(records.indexOf(record), 1);
    record.jobId = null;
    record.state = null;
  }
}

function addTo(groups: Map<string, MutableRecord[]>, name: string, record: MutableRecord): void {
  const group = groups.get(name);
  if (group) group.push(record);
  else groups.set(name, [record]);
}

/** Whether another attempt is another write: a service without keys executes it once more, or a person asked for it. */
const isSentAgain = (record: WriteRecord): boolean =>
  isDoubtful(record) ||
  record.outcome === "forgotten" ||
  (record.outcome === "unknown" && record.supportsIdempotencyKey === false);

const isUndecided = (record: WriteRecord): boolean =>
  isDoubtful(record) || record.outcome === "open" || record.outcome === "unknown";

/** Tells writes apart: key, destination and content. */
export const nameOf = ({ baseUrl, content, environment, instance = "", key }: WriteName): string =>
  [key, baseUrl, environment, content, instance].join(" ");

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
  target: intent.target,
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
  supportsIdempotencyKey: null,
});

function createAcceptedRecord(event: Accepted, sameWrite: MutableRecord | undefined): MutableRecord {
  const { at, baseUrl, content, environment, instance, key, operation } = event;
  if (sameWrite) return { ...sameWrite, at: sameWrite.lastAttemptAt, state: null };
  const name = { key, operation, baseUrl, environment, content, instance };
  return createRecord({ type: "intent", at, ...name, seller: null, file: null, bytes: null, pid: 0 });
}

const jobKey = ({ baseUrl, jobId }: { baseUrl: string; jobId: string }) => `${baseUrl} ${jobId}`;
