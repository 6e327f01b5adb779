import { resolve } from "node:path";
import { notFoundError, rejectedError, usageError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import { type Output, toListOutput } from "../output/output.ts";
import type { Resolved } from "./events.ts";
import { toWriteRow, WRITE_COLUMNS } from "./list-writes.ts";
import { openBatchLogFile, openWriteLog } from "./write-log.ts";
import { describeStatus, isOutcomeOpen, toWriteRecords, type WriteRecord } from "./write-record.ts";

type Resolution = Pick<Resolved, "outcome" | "jobId">;

/** Records nothing if one is known. @throws ClaimsError `unknown_key`, `outcome_known`, `option_conflict` */
export async function resolveWrites(context: Context, keys: readonly string[], resolution: Resolution) {
  const log = openWriteLog(context);
  const records = toWriteRecords(await log.read());
  // The attempts of one write share key and content.
  const unknown = keys.flatMap((key) => [
    ...new Map(findUnknown(context, records, key).map((record) => [record.content, record])).values(),
  ]);
  if (resolution.jobId !== null && unknown.length > 1) {
    throw usageError(
      "option_conflict",
      `${unknown.length} writes have the key ${keys[0]}, and a job has one`,
      { hint: "`claims history --unknown --json` shows them; record them without --job-id" },
    );
  }
  const at = new Date(context.now()).toISOString();
  for (const { key, content, pid } of unknown)
    await log.append({ type: "resolved", at, key, content, pid, ...resolution });
  const isChanged = (record: WriteRecord) =>
    unknown.some(({ key, content }) => record.key === key && record.content === content);
  return toListOutput({
    items: toWriteRecords(await log.read())
      .filter(isChanged)
      .map((record) => toWriteRow(record, context)),
    columns: WRITE_COLUMNS,
    emptyMessage: "no writes",
  });
}

/** A person has looked at a line of the write log, or of a batch log, that cannot be read. @throws ClaimsError `option_invalid` */
export async function forgetLine(
  context: Context,
  line: number,
  batchLog: string | undefined,
): Promise<Output> {
  const log =
    batchLog === undefined
      ? openWriteLog(context)
      : openBatchLogFile(context, resolve(context.cwd, batchLog), batchLog);
  await log.forgetLine(line, new Date(context.now()).toISOString());
  return { kind: "nothing" };
}

function findUnknown(context: Context, records: readonly WriteRecord[], key: string): readonly WriteRecord[] {
  const same = records.filter((record) => record.key === key);
  const unknown = same.filter((record) => isOutcomeOpen(record, context));
  if (unknown.length > 0) return unknown;
  const [last] = same.slice(-1);
  if (last === undefined) {
    throw notFoundError("unknown_key", `no write of this machine has the key ${key}`, {
      hint: "`claims history --unknown` lists the writes with an unknown outcome",
    });
  }
  throw rejectedError("outcome_known", `the write ${key} is ${describeStatus(last, context)}, not unknown`, {
    hint: "`claims history --unknown` lists the writes with an unknown outcome",
  });
}
