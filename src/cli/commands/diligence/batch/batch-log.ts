import { resolve } from "node:path";
import { usageError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import type { Context } from "../../../context.ts";
import { acquireLock, type Lock } from "../../../files/file-lock.ts";
import { readRegularFile } from "../../../files/regular-file.ts";
import { printMessage } from "../../../output/stderr.ts";
import { CANCELLED_MARK, WriteLog } from "../../../write-log/write-log.ts";
import {
  isInScope,
  isOfOtherInstance,
  toWriteRecords,
  type WriteRecord,
  type WriteScope,
} from "../../../write-log/write-record.ts";
import type { BatchSource } from "./row.ts";

/** The submissions of a batch in all its runs: a write log next to the manifest or the folder. */
export interface BatchLog {
  readonly log: WriteLog;
  readonly lock: Lock;
  readonly records: readonly WriteRecord[];
}

/** Reads the batch log while another process may use it. */
export async function readBatchLog(
  context: Context,
  { path, displayName }: BatchSource,
  scope: WriteScope,
  chosen: string | undefined,
): Promise<readonly WriteRecord[]> {
  const file = chosen === undefined ? defaultLogPath(path) : resolve(context.cwd, chosen);
  await refuseOtherFormat(file);
  return readRecords(context, toWriteLog(context, file, displayName), scope);
}

/**
 * Opens the batch log for this process alone.
 *
 * @throws ClaimsError `locked` while another batch uses it
 */
export async function openBatchLog(
  context: Context,
  { path, displayName }: BatchSource,
  scope: WriteScope,
  chosen: string | undefined,
): Promise<BatchLog> {
  const file = chosen === undefined ? defaultLogPath(path) : resolve(context.cwd, chosen);
  const lock = await acquireLock(context, file, { waitMs: 0 });
  try {
    await refuseOtherFormat(file);
    const log = toWriteLog(context, file, displayName);
    return { log, lock, records: await readRecords(context, log, scope) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

const toWriteLog = (context: Context, file: string, displayName: string): WriteLog =>
  new WriteLog(file, context, {
    name: `the batch log of ${displayName}`,
    hint: "make it writable, or name another file with --batch-log",
  });

async function readRecords(
  context: Context,
  log: WriteLog,
  scope: WriteScope,
): Promise<readonly WriteRecord[]> {
  const records = toWriteRecords(await log.read());
  const others = records.filter((record) => isOfOtherInstance(scope, record));
  if (others.length > 0) {
    const what = formatCount(others.length, "submission");
    printMessage(
      context,
      `the batch log has ${what} to another sandbox at ${scope.baseUrl}, which do not count here`,
    );
  }
  return records.filter((record) => isInScope(scope, record));
}

const RECORD_START = '{"type":"';

/** Protects the manifest or an entry file that is named by mistake: records would be appended to it. */
async function refuseOtherFormat(path: string): Promise<void> {
  // The write log reports a file that cannot be read.
  const text = (await readRegularFile(path).catch(() => null)) ?? "";
  const [start = ""] = text.slice(0, RECORD_START.length).split(CANCELLED_MARK);
  if (RECORD_START.startsWith(start)) return;
  throw usageError("not_a_batch_log", `${path} is not a batch log; it was not changed`, {
    hint: "name a new file with --batch-log, or the batch log of an earlier run",
  });
}

function defaultLogPath(source: string | null): string {
  if (source !== null) return `${source.replace(/\.csv$/i, "")}.batch.jsonl`;
  throw usageError("missing_option", "--batch-log <file> is missing: the manifest is on stdin", {
    hint: "name a file with --batch-log, and the same file when you run the command again",
  });
}
