import { resolve } from "node:path";
import { usageError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { isDryRun, type Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { acquireLock, type Lock } from "../../../files/file-lock.ts";
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
  isInScope,
  isOfOtherInstance,
  toWriteRecords,
  type WriteRecord,
  type WriteScope,
} from "../../../write-log/write-record.ts";
import type { MappingRequest } from "../mapping-options.ts";
import type { batchOptions } from "./batch.ts";
import { BatchProgress } from "./batch-progress.ts";
import { PreviousSubmissions } from "./previous-submissions.ts";
import type { BatchSource } from "./row.ts";
import type { BatchContext } from "./submit-item.ts";
import { EqualFiles } from "./submit-item.ts";

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
  mapping: MappingRequest | null,
): Promise<BatchContext> {
  const { batchLog, onDuplicate = "fail", status = false, ...chosen } = options;
  const scope = await findScope(service);
  // A sandbox that stops with this command needs no log.
  const batch = service.connection.isTemporary
    ? null
    : await openBatchLog(context, source, scope, batchLog, status ? null : onEnd);
  const logs = { machine: batch && openWriteLog(context), batch, isReadOnly: status || isDryRun(global) };
  return {
    ...{ context, service, mapping, onDuplicate },
    ...chosen,
    writes: new LoggedWrites(context, scope, logs),
    previous: new PreviousSubmissions(context, batch?.records ?? []),
    equalFiles: new EqualFiles(),
    isVerbose: global.verbose,
    progress: new BatchProgress(context.signal),
    isKeySupported: createKeyCheck(service, SUBMIT_OPERATION, options.legacy),
  };
}

/** The submissions of a batch in all its runs: a write log next to the manifest or the folder. */
interface BatchLog {
  readonly log: WriteLog;
  /** Null while another process may use the log. */
  readonly lock: Lock | null;
  readonly records: readonly WriteRecord[];
}

/**
 * Opens the batch log.
 *
 * @param onEnd registers the release of its lock; null to read the log while another process may use it
 * @throws ClaimsError `locked` while another batch uses it
 */
async function openBatchLog(
  context: Context,
  { path, displayName }: BatchSource,
  scope: WriteScope,
  chosen: string | undefined,
  onEnd: ((release: () => Promise<void>) => void) | null,
): Promise<BatchLog> {
  const file = chosen === undefined ? defaultLogPath(path) : resolve(context.cwd, chosen);
  const lock = onEnd && (await acquireLock(context, file, { waitMs: 0 }));
  if (lock) onEnd?.(lock.release);
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
