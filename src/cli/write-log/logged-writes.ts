import { ClaimsError } from "../../domain/errors.ts";
import { createLimit } from "../../domain/limit.ts";
import type { Service } from "../connection/service.ts";
import type { Context } from "../context.ts";
import type { Lock } from "../files/file-lock.ts";
import { printMessage } from "../output/stderr.ts";
import type { WriteDescription } from "./describe-write.ts";
import type { Intent, WriteEvent, WriteName } from "./events.ts";
import type { WriteLog } from "./write-log.ts";
import type { WriteRecord } from "./write-record.ts";
import { nameOf, toWriteRecords, WriteRecords } from "./write-records.ts";

/** The destination of a write. The same content for another destination is another write. */
export type WriteScope = Pick<Intent, "baseUrl" | "environment" | "instance">;

export async function findScope({ connection, findInstance }: Service): Promise<WriteScope> {
  const { baseUrl, environment } = connection;
  const instance = await findInstance();
  return { baseUrl, environment, ...(instance !== null && { instance }) };
}

/** A record or a service without an instance counts if the base URL is the same. */
export const isInScope = (scope: WriteScope, record: WriteScope): boolean =>
  record.baseUrl === scope.baseUrl &&
  record.environment === scope.environment &&
  (record.instance === undefined || scope.instance === undefined || record.instance === scope.instance);

export type BegunWrite = WriteDescription & Pick<Intent, "key">;

interface Logs {
  /** Of this machine. Null for a sandbox that stops with the command: its writes are in memory alone. */
  readonly machine: WriteLog | null;
  /** The batch log, which its lock keeps for this process. */
  readonly batch?: { readonly log: WriteLog; readonly lock: Lock } | null;
  /** Whether nothing is written, as in a dry run. */
  readonly isReadOnly?: boolean;
}

/** They are files to look at, before each new one is sent. */
const MAX_EARLIER_FILES = 1_000;

/** The writes of this machine to one service. The log of a batch has a copy of those of the batch. */
export class LoggedWrites {
  readonly scope: WriteScope;
  readonly #context: Context;
  readonly #logs: Logs;
  readonly #records = new WriteRecords();
  /** One reader after the other: each continues where the one before it ended. */
  readonly #reading = createLimit(1);
  /** The submissions of a batch queue here: at the lock, they would wait for one another by polling. */
  readonly #beginning = createLimit(1);
  /** By the name of a write in the batch log, whether the log has an outcome that settles it. */
  readonly #batchLogWrites = new Map<string, boolean>();
  /** The submissions of this run, by the id of their job in lower case. */
  readonly #takenJobs = new Map<string, WriteDescription>();

  constructor(context: Context, scope: WriteScope, logs: Logs) {
    this.scope = scope;
    this.#context = context;
    this.#logs = logs;
  }

  /** The writes to the service with the same content, as the log of the machine has them now. Oldest first. */
  async read({ content }: Pick<Intent, "content">): Promise<readonly WriteRecord[]> {
    await this.#readNew();
    return this.#records.listSame(content).filter((record) => isInScope(this.scope, record));
  }

  /** The write of another content under a key, as the log was last read; null if there is none, or if it was refused. */
  findOtherOfKey(key: string, write: WriteDescription): WriteRecord | null {
    return this.#findOther(write, (record) => record.key === key && record.outcome !== "refused");
  }

  /**
   * Takes a job for a submission. Returns that of another file which has the job; null if there is none. Submissions of one run
   * may end at the same time.
   */
  async takeJob(jobId: string, write: WriteDescription): Promise<Pick<Intent, "at" | "file"> | null> {
    await this.#readNew();
    const id = jobId.toLowerCase();
    const isOtherFile = ({ fileSha256 }: Pick<Intent, "fileSha256">) => fileSha256 !== write.fileSha256;
    const taken = this.#takenJobs.get(id);
    if (taken && isOtherFile(taken)) return { ...taken, at: this.#now() };
    this.#takenJobs.set(id, write);
    return this.#findOther(write, (record) => record.jobId?.toLowerCase() === id && isOtherFile(record));
  }

  /**
   * The latest submissions that earlier runs made, and that count: a failed job claims nothing.
   *
   * @returns latest first
   */
  async listEarlierFiles({ operation }: WriteDescription): Promise<readonly WriteRecord[]> {
    await this.#readNew();
    const found: WriteRecord[] = [];
    for (const record of this.#records.list().reverse()) {
      if (found.length === MAX_EARLIER_FILES) break;
      if (record.operation === operation && this.#isClaimed(record) && isInScope(this.scope, record))
        found.push(record);
    }
    return found;
  }

  #isClaimed(record: WriteRecord): boolean {
    const isOfThisRun = this.#takenJobs.has(record.jobId?.toLowerCase() ?? "");
    return isSettled(record) && record.state !== "failed" && !isOfThisRun;
  }

  #findOther(
    { content, operation }: WriteDescription,
    test: (record: WriteRecord) => boolean,
  ): WriteRecord | null {
    const isOther = (record: WriteRecord) =>
      record.content !== content && record.operation === operation && isInScope(this.scope, record);
    return this.#records.list().find((record) => isOther(record) && test(record)) ?? null;
  }

  #readNew(): Promise<void> {
    return this.#reading(async () => this.#records.add((await this.#logs.machine?.readNew()) ?? []));
  }

  /** Why the logs do not prove which writes were sent; null if they do. */
  findUnreadableLine(): ClaimsError | null {
    const { batch, machine } = this.#logs;
    return machine?.findUnreadableLine() ?? batch?.log.findUnreadableLine() ?? null;
  }

  /** Copies what only the log of a batch knows: the batch ran on another machine, or the log of this one was lost. */
  async adopt(events: readonly WriteEvent[]): Promise<void> {
    if (events.length === 0) return;
    for (const record of toWriteRecords(events)) this.#batchLogWrites.set(nameOf(record), isSettled(record));
    const log = this.#logs.isReadOnly ? null : this.#logs.machine;
    const copyMissing = async () => {
      await this.#readNew();
      const missing = listMissing(this.#records.list(), events, this.scope);
      if (log === null) this.#records.add(missing);
      else if (missing.length > 0) await log.append(...missing);
    };
    await (log === null ? copyMissing() : log.lock(copyMissing));
  }

  /**
   * Copies an earlier write that is the result of this one to the batch log, unless it is there: the batch may continue on another
   * machine, which has no other log of it.
   *
   * @throws ClaimsError `write_log_unwritable`, and `locked` if another process took over the batch log
   */
  async keepInBatchLog(record: WriteRecord, write: WriteDescription): Promise<void> {
    const { batch, isReadOnly } = this.#logs;
    const name = nameOf(record);
    if (!batch || isReadOnly || this.#batchLogWrites.get(name)) return;
    const intent = this.#batchLogWrites.has(name) ? [] : [copyIntent(record, write)];
    this.#batchLogWrites.set(name, true);
    await batch.lock.requireHeld();
    await batch.log.append(...intent, copyOutcome(record));
  }

  /**
   * Writes the intent to every log, unless the writes are no longer those that the caller has seen: looking and writing are one
   * step under the lock of the log.
   * @throws ClaimsError `write_log_unwritable`, and `locked` if another process took over the batch log; nothing is sent then
   */
  async begin(write: BegunWrite, isCurrent: (records: readonly WriteRecord[]) => boolean): Promise<boolean> {
    const { batch, isReadOnly, machine } = this.#logs;
    if (isReadOnly) return true;
    const start = async (lock?: Lock) => {
      if (!isCurrent(await this.read(write))) return false;
      await batch?.lock.requireHeld();
      await lock?.requireHeld();
      await this.#appendIntent(write);
      return true;
    };
    return this.#beginning(() => (machine === null ? start() : machine.lock(start)));
  }

  async #appendIntent({ jobId: _, ...write }: BegunWrite): Promise<void> {
    const { own } = this.#context.processes;
    const event: Intent = { type: "intent", at: this.#now(), ...write, ...this.scope, ...own };
    const started: WriteLog[] = [];
    try {
      for (const log of this.#listLogs()) {
        await log.append(event);
        started.push(log);
      }
      if (this.#logs.machine === null) this.#records.add([event]);
    } catch (error) {
      // Nothing is sent, and the logs that have the intent need an outcome.
      const { code } = error as ClaimsError;
      await this.#append(write, { type: "refused", code, status: null }, this.scope, started);
      throw error;
    }
  }

  /**
   * The outcome stands if it cannot be written. Readers of the log then see it as unknown.
   *
   * @returns the error of the log, if there is one
   */
  async end(write: BegunWrite, outcome: Outcome): Promise<ClaimsError | null> {
    const isAccepted = outcome.type === "accepted";
    const jobId = isAccepted ? outcome.jobId : null;
    if (outcome.type !== "refused") this.#context.sentWrites?.set(write.key, { isAccepted, jobId });
    return this.#logs.isReadOnly ? null : this.#append(write, outcome);
  }

  /** For a write whose outcome is unknown: no later run can repeat it by itself. */
  async recordMissingKeySupport(record: WriteRecord): Promise<void> {
    const { code, responseFile } = record;
    const outcome = { type: "unknown", code: code ?? "outcome_unknown", responseFile } as const;
    if (!this.#logs.isReadOnly)
      await this.#append(record, { ...outcome, supportsIdempotencyKey: false }, record);
  }

  /** That of the batch first: what only it knows, the next run copies to that of the machine. */
  #listLogs(): readonly WriteLog[] {
    const { batch, isReadOnly, machine } = this.#logs;
    if (isReadOnly || machine === null) return [];
    return batch ? [batch.log, machine] : [machine];
  }

  /** @returns the first error of a log that cannot be written, after it is printed */
  async #append(
    { content, key, operation }: Pick<Intent, "content" | "key" | "operation">,
    outcome: Outcome,
    scope: WriteScope = this.scope,
    logs = this.#listLogs(),
  ): Promise<ClaimsError | null> {
    const { baseUrl, environment, instance } = scope;
    const name = { at: this.#now(), key, content, baseUrl, environment, instance };
    const event = { ...outcome, ...(outcome.type === "accepted" && { operation }), ...name } as WriteEvent;
    if (outcome.type === "accepted") this.#batchLogWrites.set(nameOf(name), true);
    if (this.#logs.machine === null) this.#records.add([event]);
    let failure: ClaimsError | null = null;
    for (const log of logs) {
      try {
        await log.append(event);
      } catch (error) {
        if (!(error instanceof ClaimsError)) throw error;
        failure ??= error;
        const message = `warning: ${error.message}; it shows the outcome of this write as unknown`;
        printMessage(this.#context, message);
      }
    }
    return failure;
  }

  #now(): string {
    return new Date(this.#context.now()).toISOString();
  }
}

const isSettled = ({ outcome }: WriteRecord): boolean => outcome === "accepted" || outcome === "forgotten";

/** The intent of an earlier write, for a file that may have another name now. */
function copyIntent(record: WriteRecord, { jobId: _, ...write }: WriteDescription): Intent {
  const { at, baseUrl, environment, instance, key, pid, pidNamespace, startTime } = record;
  return { type: "intent", ...write, at, key, baseUrl, environment, instance, pid, startTime, pidNamespace };
}

/** The event that settled a write. */
function copyOutcome(record: WriteRecord): WriteEvent {
  const { at, baseUrl, content, environment, instance, isResolved, jobId, key, operation, status } = record;
  const name = { at, key, content, baseUrl, environment, instance };
  const outcome = record.outcome === "forgotten" ? "forgotten" : "accepted";
  return isResolved
    ? { type: "resolved", ...name, outcome, jobId }
    : { type: "accepted", ...name, operation, jobId, status: status ?? 0 };
}

/** The events of writes that the log of the machine does not have, or has without the acceptance. */
function listMissing(
  known: readonly WriteRecord[],
  events: readonly WriteEvent[],
  scope: WriteScope,
): readonly WriteEvent[] {
  const byName = new Map(known.map((record) => [nameOf(record), record]));
  return events.filter((event) => {
    if (!("key" in event) || !isInScope(scope, event)) return false;
    const record = byName.get(nameOf(event));
    if (record === undefined) return true;
    return event.type === "accepted" && record.outcome !== "accepted" && !record.isResolved;
  });
}

type OmitName<T> = T extends WriteEvent ? Omit<T, "at" | "operation" | keyof WriteName> : never;

export type Outcome = OmitName<Extract<WriteEvent, { type: "accepted" | "refused" | "unknown" }>>;
