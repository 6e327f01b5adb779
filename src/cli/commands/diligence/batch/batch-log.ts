import { resolve } from "node:path";
import { usageError } from "../../../../domain/errors.ts";
import type { Context } from "../../../context.ts";
import { acquireLock } from "../../../files/file-lock.ts";
import { readRegularFile } from "../../../files/regular-file.ts";
import { CANCELLED_MARK, WriteLog } from "../../../write-log/write-log.ts";
import {
  isInScope,
  toWriteRecords,
  type WriteRecord,
  type WriteScope,
} from "../../../write-log/write-record.ts";
import type { BatchSource } from "./row.ts";

/** The submissions of a batch in all its runs: a write log next to the manifest or the folder. */
export interface BatchLog {
  readonly log: WriteLog;
  readonly records: readonly WriteRecord[];
  release(): Promise<void>;
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
  return readRecords(toWriteLog(context, file, displayName), scope);
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
  const release = await acquireLock(context, file, 0);
  try {
    await refuseOtherFormat(file);
    const log = toWriteLog(context, file, displayName);
    return { log, records: await readRecords(log, scope), release };
  } catch (error) {
    await release();
    throw error;
  }
}

const toWriteLog = (context: Context, file: string, displayName: string): WriteLog =>
  new WriteLog(file, context, {
    name: `the batch log of ${displayName}`,
    hint: "make it writable, or name another file with --batch-log",
  });

const readRecords = async (log: WriteLog, scope: WriteScope): Promise<readonly WriteRecord[]> =>
  toWriteRecords(await log.read()).filter((record) => isInScope(scope, record));

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
