import { setMaxListeners } from "node:events";
import { basename, join, resolve } from "node:path";
import { type ClaimsError, rephraseError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { confirmProductionWrite, isDryRun, openService, type Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { aggregateErrors } from "../../../framework/aggregate-errors.ts";
import type { BaseInvocation } from "../../../framework/command.ts";
import type { OptionValues } from "../../../framework/options.ts";
import { type Output, toListOutput } from "../../../output/output.ts";
import { startProgress } from "../../../output/progress.ts";
import { printMessage } from "../../../output/stderr.ts";
import { openWriteLog } from "../../../write-log/write-log.ts";
import { findScope, isInScope, toWriteRecords } from "../../../write-log/write-record.ts";
import { openBatchLog } from "./batch-log.ts";
import { BatchProgress } from "./batch-progress.ts";
import { EqualFiles } from "./equal-files.ts";
import { type FollowOptions, followItem } from "./follow-item.ts";
import { type BatchItem, ITEM_COLUMNS, summarize, toJson } from "./item.ts";
import { mapConcurrently } from "./map-concurrently.ts";
import { type batchOptions, DEFAULT_CONCURRENCY } from "./options.ts";
import { PreviousSubmissions } from "./previous-submissions.ts";
import { ProgressLine } from "./progress-line.ts";
import type { BatchRow, BatchSource } from "./row.ts";
import { readSource } from "./source.ts";
import { type BatchContext, submitItem } from "./submit-item.ts";
import { supportsIdempotencyKey } from "./supports-idempotency-key.ts";

interface BatchInvocation extends BaseInvocation {
  readonly args: { readonly source: string };
  readonly options: OptionValues<typeof batchOptions>;
}

/** A batch can wait as long as a service asks for, up to ten minutes. */
const BATCH_RETRY_POLICY = { maxAttempts: 6, maxPauseMs: 600_000 };

/** Submits the files of a manifest or a folder. */
export async function runBatch(context: Context, call: BatchInvocation): Promise<Output> {
  const { args, global, options } = call;
  // Every request in flight listens to it; Node warns about a leak above ten listeners.
  setMaxListeners(0, context.signal);
  const source = await readSource(context, args.source, {
    seller: options.sellerName,
    protestDocs: options.protestDocs ?? false,
  });
  const { rows } = source;
  const concurrency = options.concurrency ?? DEFAULT_CONCURRENCY;
  const service = await openService(context, call, { concurrency, retryPolicy: BATCH_RETRY_POLICY });
  await confirmProductionWrite(context, global, service);
  const batch = await openBatch(context, call, service, source);
  if (isDryRun(global)) await previewFirst(batch, rows);

  const folderOf =
    options.pull === undefined ? () => null : assignFolders(rows, resolve(context.cwd, options.pull));
  const follow =
    options.wait || options.pull !== undefined || global.sandbox ? { global, folderFor: folderOf } : null;
  return toListOutput({
    items: processRows(batch, follow, rows, concurrency),
    columns: ITEM_COLUMNS,
    toRecord: toJson,
    idOf: ({ jobId }) => jobId,
    pipeFormat: "ndjson",
    isLive: true,
    emptyMessage: "nothing to submit",
    failure: () => summarizeFailures(batch.progress, rows.length),
  });
}

/** Ends at the first request: a dry run throws it. */
async function previewFirst(batch: BatchContext, rows: readonly BatchRow[]): Promise<void> {
  if (rows.length > 1) printMessage(batch.context, `showing the first request of ${rows.length} submissions`);
  for (const row of rows) await submitItem(batch, row);
}

async function openBatch(
  context: Context,
  { global, onEnd, options }: BatchInvocation,
  service: Service,
  source: BatchSource,
): Promise<BatchContext> {
  const scope = await findScope(service.connection);
  const { check, legacy, onDuplicate = "fail", resendUnknown = false } = options;
  const progress = new BatchProgress(context.signal);
  let isSupported: Promise<boolean> | undefined;
  const isKeySupported = () => (isSupported ??= supportsIdempotencyKey(service, legacy));
  const canResend = async () => resendUnknown || isKeySupported();
  const equalFiles = new EqualFiles<BatchItem>();
  const shared = { context, service, scope, check, legacy, onDuplicate, equalFiles, progress, canResend };
  // A sandbox that stops with this command needs no log.
  if (service.connection.isTemporary)
    return { ...shared, logs: [], previous: new PreviousSubmissions(context, [], []) };
  const { log, records, release } = await openBatchLog(context, source, scope, options.batchLog);
  onEnd(release);
  const machineLog = openWriteLog(context);
  const machine = toWriteRecords(await machineLog.read()).filter((record) => isInScope(scope, record));
  return {
    ...shared,
    logs: isDryRun(global) ? [] : [log, machineLog],
    previous: new PreviousSubmissions(context, records, machine),
  };
}

/** Submits and follows the rows concurrently, with progress on stderr. */
async function* processRows(
  batch: BatchContext,
  follow: FollowOptions | null,
  rows: readonly BatchRow[],
  concurrency: number,
): AsyncGenerator<BatchItem> {
  const { context } = batch;
  const done: BatchItem[] = [];
  const progress = startProgress(context.stderr, `0 of ${rows.length}`);
  const line = new ProgressLine(rows.length, context.stderr.columns, (text) => progress.update(text));
  try {
    const submitted = mapConcurrently(rows, concurrency, (row) =>
      line.track(row, () => submitItem(batch, row)),
    );
    const ended = follow
      ? mapConcurrently(submitted, concurrency, (item) =>
          line.track(item.row, () => followItem(batch, follow, item)),
        )
      : submitted;
    for await (const item of ended) {
      done.push(item);
      line.setDone(done);
      yield item;
    }
  } finally {
    progress.stop();
  }
  printMessage(context, `${formatCount(rows.length, "submission")}: ${summarize(done)}`);
}

/** Names the folder of a job after its file, or after the job id if two files have the same name. */
function assignFolders(rows: readonly BatchRow[], parent: string): FollowOptions["folderFor"] {
  const nameOf = ({ path }: BatchRow) => safeFolderName(basename(path).replace(/\.csv$/i, ""));
  const count = new Map<string, number>();
  for (const row of rows) count.set(nameOf(row), (count.get(nameOf(row)) ?? 0) + 1);
  return ({ row, jobId }) => {
    const name = nameOf(row);
    if (count.get(name) === 1) return join(parent, name);
    return join(parent, safeFolderName(encodeURIComponent((jobId ?? "").toWellFormed())));
  };
}

/** An empty name, `.` or `..` would be the parent folder or the one above it. */
const safeFolderName = (name: string): string => name.replace(/^\.{0,2}$/, "_$&");

/** The worst failure, with the hint to run the command again if that continues the batch. */
function summarizeFailures(progress: BatchProgress, total: number): ClaimsError | undefined {
  const worst = aggregateErrors(progress.allFailures(), `${total} submissions`);
  if (worst === undefined) return undefined;
  const canContinue =
    progress.isStopped || (worst.kind === "unreachable" && worst.code !== "outcome_unknown");
  if (!canContinue) return worst;
  // The hint of an interruption is about one submission.
  const more = worst.kind === "interrupted" ? "" : `; ${worst.hint}`;
  return rephraseError(worst, { hint: `run the same command again to continue the batch${more}` });
}
