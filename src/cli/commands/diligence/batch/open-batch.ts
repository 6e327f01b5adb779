import { resolve } from "node:path";
import { type ClaimsError, usageError } from "../../../../domain/errors.ts";
import { groupBy } from "../../../../domain/group-by.ts";
import { createLimit, type Limit } from "../../../../domain/limit.ts";
import { isDryRun, type Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { acquireLock } from "../../../files/file-lock.ts";
import { readRegularFile } from "../../../files/regular-file.ts";
import type { BaseInvocation } from "../../../framework/command.ts";
import type { GlobalOptions, OptionValues } from "../../../framework/options.ts";
import { SUBMIT_OPERATION } from "../../../write-log/events.ts";
import { createKeyCheck } from "../../../write-log/key-support.ts";
import { findScope, isInScope, LoggedWrites, type WriteScope } from "../../../write-log/logged-writes.ts";
import { CANCELLED_MARK, openBatchLogFile, openWriteLog } from "../../../write-log/write-log.ts";
import type { WriteRecord } from "../../../write-log/write-record.ts";
import { toWriteRecords } from "../../../write-log/write-records.ts";
import { EntryOverlaps } from "../entry-overlaps.ts";
import type { FailOn } from "../options.ts";
import type { SubmissionPolicy } from "../submission.ts";
import type { batchOptions } from "./batch.ts";
import type { BatchItem } from "./item.ts";
import type { BatchRow, BatchSource } from "./manifest.ts";

export interface BatchContext {
  readonly source: BatchSource;
  readonly concurrency: number;
  readonly global: GlobalOptions;
  readonly failOn: FailOn;
  /** Whether the batch waits for the end of each job. */
  readonly isFollowed: boolean;
  /** The folder to pull a job to; null without `--pull`. */
  folderFor(item: BatchItem): string | null;
  readonly done: Map<BatchRow, BatchItem>;
  /** Whether every file was checked before the first one is sent. */
  readonly isChecked: boolean;
  readonly context: Context;
  readonly service: Service;
  /** What the submissions of all rows have in common. */
  readonly policy: SubmissionPolicy & { readonly overlaps: EntryOverlaps };
  /** The files are described one after the other, so that equal ones are in the order of the calls. */
  readonly describeLock: Limit;
  /** By content: equal files are sent one after the other, so that each finds those before it in the log. */
  readonly contentLocks: Map<string, Limit>;
  /** Refuses a file that another program is still writing. */
  requireUnchanged(row: BatchRow): Promise<void>;
  readonly previous: PreviousSubmissions;
  readonly progress: BatchProgress;
}

export interface BatchInvocation extends BaseInvocation {
  readonly args: { readonly source: string };
  readonly options: OptionValues<typeof batchOptions>;
}

/** Opens what the submissions share: the logs, and the earlier submissions in them. */
export async function openBatch(
  context: Context,
  { global, onEnd, options }: BatchInvocation,
  service: Service,
  shared: Pick<BatchContext, "concurrency" | "folderFor" | "isFollowed" | "requireUnchanged" | "source">,
): Promise<BatchContext> {
  const scope = await findScope(service);
  // A sandbox that stops with this command needs no log.
  const batch = service.connection.isTemporary
    ? null
    : await openBatchLog(context, shared.source, scope, options.batchLog, onEnd);
  const machine = batch && openWriteLog(context);
  const writes = new LoggedWrites(context, scope, { machine, batch, isReadOnly: isDryRun(global) });
  await writes.adopt(batch?.events ?? []);
  const policy = {
    ...options,
    onDuplicate: options.onDuplicate ?? "fail",
    isVerbose: global.verbose,
    writes,
    overlaps: new EntryOverlaps(context, writes),
    checkKeySupport: createKeyCheck(service, SUBMIT_OPERATION, options.legacy),
  };
  return {
    ...shared,
    context,
    global,
    service,
    policy,
    failOn: options.failOn,
    done: new Map(),
    previous: new PreviousSubmissions(batch?.records ?? []),
    describeLock: createLimit(1),
    contentLocks: new Map(),
    isChecked: options.allOrNothing ?? false,
    progress: new BatchProgress(context.signal),
  };
}

/** Opens the log of a batch in all its runs: a write log next to the manifest or the folder. @throws ClaimsError `locked` */
async function openBatchLog(
  context: Context,
  { path, displayName }: BatchSource,
  scope: WriteScope,
  chosen: string | undefined,
  onEnd: (release: () => Promise<void>) => void,
) {
  const file = chosen === undefined ? defaultLogPath(path) : resolve(context.cwd, chosen);
  const lock = await acquireLock(context, file, { waitMs: 0 });
  onEnd(lock.release);
  await refuseOtherFormat(file);
  const log = openBatchLogFile(context, file, displayName);
  const events = await log.read();
  const records = toWriteRecords(events).filter((record) => isInScope(scope, record));
  return { log, lock, records, events };
}

const RECORD_START = '{"type":"';

/** Protects the manifest or an entry file that is named by mistake: records would be appended to it. */
async function refuseOtherFormat(path: string): Promise<void> {
  // The write log reports a file that cannot be read.
  const text = (await readRegularFile(path).catch(() => null)) ?? "";
  const [start = ""] = text.slice(0, RECORD_START.length).split(CANCELLED_MARK);
  if (RECORD_START.startsWith(start)) return;
  throw usageError("invalid_input", `${path} is not a batch log; it was not changed`, {
    hint: "name a new file with --batch-log, or the batch log of an earlier run",
  });
}

function defaultLogPath(source: string | null): string {
  if (source !== null) return `${source.replace(/\.csv$/i, "")}.batch.jsonl`;
  throw usageError("missing_option", "--batch-log <file> is missing: the manifest is on stdin", {
    hint: "name a file with --batch-log, and the same file when you run the command again",
  });
}

/** After so many submissions in a row that did not reach the service, the batch stops. */
const MAX_UNREACHED_IN_A_ROW = 3;

/** A write log that cannot be used for one file cannot be used for the next, and the next file would go elsewhere, too. */
const STOPPING_CODES: ReadonlySet<string> = new Set([
  "write_log_unwritable",
  "write_log_unreadable",
  "log_line_unreadable",
  "locked",
  "accepted_elsewhere",
]);

export class BatchProgress {
  readonly #signal: AbortSignal;
  /** Whether this run submitted or resumed a job. */
  hasWritten = false;
  /** Whether the output of the rows that are left is not read any more. */
  isAbandoned = false;
  #unreachedInARow = 0;
  /** Whether the service does not respond, or refuses every request. */
  #isHopeless = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  get isStopped(): boolean {
    return this.hasGivenUp || this.#signal.aborted;
  }

  /** Whether no more requests are worth it. */
  get hasGivenUp(): boolean {
    return this.#isHopeless || this.isAbandoned;
  }

  recordSuccess(): void {
    this.hasWritten = true;
    this.#unreachedInARow = 0;
  }

  /** Unknown outcomes stop it, too, unless the submissions can be sent again under their keys. */
  recordFailure({ cause, code, kind, retryable }: ClaimsError): void {
    const isUnknown = code === "outcome_unknown";
    // About one file, not about the service.
    if (code === "file_being_written") return;
    // Without a cause, this run sent nothing.
    if (isUnknown && (cause === undefined || (kind === "unreachable" && retryable))) return;
    this.#unreachedInARow = isUnknown || kind === "unreachable" ? this.#unreachedInARow + 1 : 0;
    const isForAll = kind === "credential" || STOPPING_CODES.has(code);
    if (isForAll || this.#unreachedInARow >= MAX_UNREACHED_IN_A_ROW) this.#isHopeless = true;
  }
}

/** The submissions of earlier runs of a batch, as its log names them. */
export class PreviousSubmissions {
  readonly #byRow: ReadonlyMap<string | null, readonly WriteRecord[]>;
  readonly #keys: ReadonlySet<string>;
  /** The row whose result a submission is, by its key. */
  readonly #claimedBy = new Map<string, BatchRow>();

  /** @param records of the batch log, to the same service */
  constructor(records: readonly WriteRecord[]) {
    this.#byRow = groupBy(records, ({ file }) => file);
    this.#keys = new Set(records.map(({ key }) => key));
  }

  /**
   * Takes an accepted or forgotten submission of the same content, perhaps under the file's earlier name, as the result of this
   * row. Returns whether it did: of rows with equal files, only the first one has it; the others are duplicates.
   */
  claimResult(row: BatchRow, { key }: WriteRecord): boolean {
    if (!this.#keys.has(key) || (this.#claimedBy.get(key) ?? row) !== row) return false;
    this.#claimedBy.set(key, row);
    return true;
  }

  /** A submission of the row with other content that was accepted, or may have been. */
  findChanged({ logName, seller }: BatchRow, content: string): WriteRecord | null {
    const others = (this.#byRow.get(logName) ?? []).filter(
      (record) => record.content !== content && record.seller === seller && record.outcome !== "refused",
    );
    return others.findLast(({ outcome }) => outcome === "accepted") ?? others.at(-1) ?? null;
  }

  /** The jobs of the row in the batch log. Each supersedes those before it. */
  jobIdsOf({ logName }: BatchRow): readonly string[] {
    return (this.#byRow.get(logName) ?? []).flatMap(({ jobId }) => jobId ?? []);
  }
}
