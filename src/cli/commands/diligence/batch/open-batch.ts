import { resolve } from "node:path";
import { type ClaimsError, usageError } from "../../../../domain/errors.ts";
import { groupBy } from "../../../../domain/group-by.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { isDryRun, type Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { acquireLock } from "../../../files/file-lock.ts";
import { readRegularFile } from "../../../files/regular-file.ts";
import type { BaseInvocation } from "../../../framework/command.ts";
import type { OptionValues } from "../../../framework/options.ts";
import { printMessage } from "../../../output/stderr.ts";
import { SUBMIT_OPERATION } from "../../../write-log/events.ts";
import { LoggedWrites } from "../../../write-log/logged-writes.ts";
import { createKeyCheck } from "../../../write-log/send-logged.ts";
import { CANCELLED_MARK, openWriteLog, WriteLog } from "../../../write-log/write-log.ts";
import {
  findScope,
  hasUnknownOutcome,
  isInFlight,
  isInScope,
  isOfOtherInstance,
  toWriteRecords,
  type WriteRecord,
  type WriteScope,
} from "../../../write-log/write-record.ts";
import type { SubmissionPolicy } from "../submit-file.ts";
import type { batchOptions } from "./batch.ts";
import { EqualFiles } from "./equal-files.ts";
import type { BatchRow, BatchSource } from "./row.ts";

export interface BatchContext extends SubmissionPolicy {
  readonly context: Context;
  readonly service: Service;
  readonly equalFiles: EqualFiles;
  readonly previous: PreviousSubmissions;
  readonly progress: BatchProgress;
  isKeySupported(): Promise<boolean>;
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
  source: BatchSource,
): Promise<BatchContext> {
  const { batchLog, onDuplicate = "fail", ...chosen } = options;
  const scope = await findScope(service);
  // A sandbox that stops with this command needs no log.
  const batch = service.connection.isTemporary
    ? null
    : await openBatchLog(context, source, scope, batchLog, onEnd);
  const logs = { machine: batch && openWriteLog(context), batch, isReadOnly: isDryRun(global) };
  return {
    ...{ context, service, onDuplicate },
    ...chosen,
    writes: new LoggedWrites(context, scope, logs),
    previous: new PreviousSubmissions(context, batch?.records ?? []),
    equalFiles: new EqualFiles(),
    isVerbose: global.verbose,
    progress: new BatchProgress(context.signal),
    isKeySupported: createKeyCheck(service, SUBMIT_OPERATION, options.legacy),
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
  const log = new WriteLog(file, context, {
    name: `the batch log of ${displayName}`,
    hint: "make it writable, or name another file with --batch-log",
  });
  const all = toWriteRecords(await log.read());
  const others = all.filter((record) => isOfOtherInstance(scope, record)).length;
  if (others > 0) {
    const message = `the batch log has ${formatCount(others, "submission")} to another sandbox at ${scope.baseUrl}, which do not count here`;
    printMessage(context, message);
  }
  return { log, lock, records: all.filter((record) => isInScope(scope, record)) };
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
  ...["write_log_unwritable", "write_log_unreadable", "locked", "accepted_elsewhere"],
]);

export class BatchProgress {
  readonly #signal: AbortSignal;
  #unreachedInARow = 0;
  #hasGivenUp = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  get isStopped(): boolean {
    return this.#hasGivenUp || this.#signal.aborted;
  }

  recordSuccess(): void {
    this.#unreachedInARow = 0;
  }

  /** Unknown outcomes stop it, too, unless the submissions can be sent again under their keys. */
  recordFailure({ cause, code, kind, retryable }: ClaimsError): void {
    const isUnknown = code === "outcome_unknown";
    // Without a cause, this run sent nothing.
    if (isUnknown && (cause === undefined || (kind === "unreachable" && retryable))) return;
    this.#unreachedInARow = isUnknown || kind === "unreachable" ? this.#unreachedInARow + 1 : 0;
    const isHopeless = kind === "credential" || STOPPING_CODES.has(code);
    if (isHopeless || this.#unreachedInARow >= MAX_UNREACHED_IN_A_ROW) this.#hasGivenUp = true;
  }
}

/** Finds earlier submissions of a row in the batch log, and those with unknown outcome in the write log of this machine. */
export class PreviousSubmissions {
  readonly #context: Context;
  readonly #batchByFile: ReadonlyMap<string | undefined, readonly WriteRecord[]>;
  readonly #batchKeys: ReadonlySet<string>;
  /** The row that took a write of the machine, by its key. */
  readonly #takenBy = new Map<string, BatchRow>();

  constructor(context: Context, batch: readonly WriteRecord[]) {
    this.#context = context;
    this.#batchByFile = groupBy(batch, ({ file }) => file ?? undefined);
    this.#batchKeys = new Set(batch.map(({ key }) => key));
  }

  /** Or a write of the same content whose outcome is unknown: under its key, it cannot happen twice (product.md §4). */
  find(row: BatchRow, content: string, machine: readonly WriteRecord[]): WriteRecord | null {
    const known = this.#findLast(row, (record) => record.content === content);
    const same = machine.filter((record) => record.content === content);
    if (known === null) return this.#takeUnknown(row, same);
    if (known.outcome === "accepted") return known;
    const other = same.find(({ key }) => key === known.key);
    // Either log may lack a record. An acceptance in one log counts, and so does a refusal that both have. What a person
    // records, only the log of the machine has.
    const isBetter = other?.outcome === "accepted" || known.outcome === "refused" || other?.isResolved;
    return other && isBetter ? other : known;
  }

  /** A submission of the row that was accepted with other content. */
  findChanged(row: BatchRow, content: string): WriteRecord | null {
    const other = this.#findLast(row, (record) => record.content !== content);
    return other?.outcome === "accepted" ? other : null;
  }

  /** The jobs of the row in the batch log. Each supersedes those before it. */
  jobIdsOf({ logName }: BatchRow): readonly string[] {
    return (this.#batchByFile.get(logName) ?? []).flatMap(({ jobId }) => jobId ?? []);
  }

  /** Prefers an accepted submission. */
  #findLast({ logName }: BatchRow, matches: (record: WriteRecord) => boolean): WriteRecord | null {
    const found = (this.#batchByFile.get(logName) ?? []).filter(matches);
    return found.findLast(({ outcome }) => outcome === "accepted") ?? found.at(-1) ?? null;
  }

  /** Of two rows with equal files, the first one takes it. */
  #takeUnknown(row: BatchRow, same: readonly WriteRecord[]): WriteRecord | null {
    const context = this.#context;
    const isFree = (record: WriteRecord) =>
      (this.#takenBy.get(record.key) ?? row) === row &&
      !this.#batchKeys.has(record.key) &&
      hasUnknownOutcome(record, context) &&
      !isInFlight(record, context);
    const record = same.find(isFree) ?? null;
    if (record) this.#takenBy.set(record.key, row);
    return record;
  }
}
