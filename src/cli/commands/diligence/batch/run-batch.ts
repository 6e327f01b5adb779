import { setMaxListeners } from "node:events";
import { basename, join, resolve } from "node:path";
import { type ClaimsError, rephraseError } from "../../../../domain/errors.ts";
import { confirmProductionWrite, isDryRun, openService, type Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { aggregateErrors } from "../../../framework/aggregate-errors.ts";
import type { BaseInvocation } from "../../../framework/command.ts";
import type { OptionValues } from "../../../framework/options.ts";
import { type Output, toListOutput } from "../../../output/output.ts";
import { startProgress } from "../../../output/progress.ts";
import { printMessage } from "../../../output/stderr.ts";
import { findScope, isInScope } from "../../../write-log/scope.ts";
import { openWriteLog } from "../../../write-log/write-log.ts";
import { toWriteRecords } from "../../../write-log/write-record.ts";
import type { batchOptions } from "./batch.ts";
import { openBatchLog } from "./batch-log.ts";
import { BatchProgress } from "./batch-progress.ts";
import { type FollowOptions, followItem } from "./follow-item.ts";
import { type BatchItem, ITEM_COLUMNS, summarize, toJson } from "./item.ts";
import { mapConcurrently } from "./map-concurrently.ts";
import { PreviousSubmissions } from "./previous-submissions.ts";
import { ProgressLine } from "./progress-line.ts";
import type { BatchRow, BatchSource } from "./row.ts";
import { readSource } from "./source.ts";
import { type BatchContext, submitItem } from "./submit-item.ts";
import { supportsIdempotencyKey } from "./supports-idempotency-key.ts";

interface BatchCall extends BaseInvocation {
  readonly args: { readonly source: string };
  readonly options: OptionValues<typeof batchOptions>;
}

const DEFAULT_CONCURRENCY = 4;

/** Ten minutes: a batch has the time that a service asks for. */
const BATCH_RETRY_POLICY = { maxAttempts: 6, maxPauseMs: 600_000 };

/** Submits what a manifest or a folder names. */
export async function runBatch(context: Context, call: BatchCall): Promise<Output> {
  const { args, global, options } = call;
  // Every request under way listens to it; Node takes more than ten for a leak, and says so on stderr.
  setMaxListeners(0, context.signal);
  const source = await readSource(context, args.source, {
    seller: options.sellerName,
    protestDocs: options.protestDocs ?? false,
  });
  const concurrency = options.concurrency ?? DEFAULT_CONCURRENCY;
  const service = await openService(context, call, { concurrency, retryPolicy: BATCH_RETRY_POLICY });
  await confirmProductionWrite(context, global, service);
  const course = new BatchProgress(context.signal);
  const desk = await openBatchContext(context, call, service, source, course);
  if (isDryRun(global)) await previewFirst(desk, source.rows);

  const follows = options.wait || options.pull !== undefined || global.sandbox;
  const folders =
    options.pull === undefined ? null : assignFolders(source.rows, resolve(context.cwd, options.pull));
  const folderFor = ({ row, jobId }: BatchItem) => folders?.(row, jobId ?? "") ?? null;
  const watch: FollowOptions | null = follows
    ? { context, service, global, progress: course, folderFor }
    : null;
  return toListOutput<BatchItem>({
    items: processRows(desk, watch, source.rows, concurrency),
    columns: ITEM_COLUMNS,
    toRecord: toJson,
    idOf: ({ jobId }) => jobId,
    pipeFormat: "ndjson",
    emptyMessage: "nothing was to be submitted",
    failure: () => summarizeFailures(course, source),
  });
}

/** Ends at the first request, which is told; where nothing is left to send, the list says so. */
async function previewFirst(desk: BatchContext, rows: readonly BatchRow[]): Promise<void> {
  if (rows.length > 1)
    printMessage(desk.context, `of ${rows.length} submissions, only the first that would be sent is shown`);
  for (const row of rows) await submitItem(desk, row);
}

async function openBatchContext(
  context: Context,
  { global, onEnd, options }: BatchCall,
  service: Service,
  source: BatchSource,
  course: BatchProgress,
): Promise<BatchContext> {
  const scope = await findScope(service.connection);
  const machine = openWriteLog(context);
  const ledger = service.connection.isTemporary
    ? null
    : await openBatchLog(context, source, scope, options.ledger);
  if (ledger) onEnd(ledger.release);
  const entries = ledger === null ? [] : toWriteRecords(await machine.read());
  const here = entries.filter((entry) => isInScope(scope, entry));
  let promise: Promise<boolean> | null = null;
  return {
    context,
    service,
    scope,
    progress: course,
    batchLog: ledger,
    legacy: options.legacy,
    logs: ledger === null || isDryRun(global) ? [] : [ledger.log, machine],
    previous: new PreviousSubmissions(context, ledger, here),
    mayResend: async () => {
      if (options.resendUnknown) return true;
      promise ??= supportsIdempotencyKey(service, options.legacy);
      return promise;
    },
  };
}

/** Submits and follows the rows, each as soon as there is room, and tells of them on stderr meanwhile. */
async function* processRows(
  desk: BatchContext,
  watch: FollowOptions | null,
  rows: readonly BatchRow[],
  concurrency: number,
): AsyncGenerator<BatchItem> {
  const { context } = desk;
  const done: BatchItem[] = [];
  const progress = startProgress(context.stderr, `0 of ${rows.length}`);
  const live = new ProgressLine(rows.length, context.stderr.columns, (text) => progress.update(text));
  try {
    const submitted = mapConcurrently(rows, concurrency, (row) =>
      live.track(row, () => submitItem(desk, row)),
    );
    const ended = watch
      ? mapConcurrently(submitted, concurrency, (each) => live.track(each.row, () => followItem(watch, each)))
      : submitted;
    for await (const item of ended) {
      done.push(item);
      live.setDone(done);
      yield item;
    }
  } finally {
    progress.stop();
  }
  printMessage(context, `${rows.length} submissions: ${summarize(done)}`);
}

/** Which folder a job is pulled to: named after its file, or after the job where two files have one name. */
function assignFolders(rows: readonly BatchRow[], parent: string): (row: BatchRow, jobId: string) => string {
  const nameOf = ({ path }: BatchRow) => safeFolderName(basename(path).replace(/\.csv$/i, ""));
  const count = new Map<string, number>();
  for (const row of rows) count.set(nameOf(row), (count.get(nameOf(row)) ?? 0) + 1);
  return (row, jobId) =>
    join(
      parent,
      count.get(nameOf(row)) === 1 ? nameOf(row) : safeFolderName(encodeURIComponent(jobId.toWellFormed())),
    );
}

/** A name that would be the parent itself, or the folder above it, as that of the file `...csv`, is no such name any more. */
const safeFolderName = (name: string): string => name.replace(/^\.{0,2}$/, "_$&");

/** The worst that happened, with the way on: the same command again. */
function summarizeFailures(course: BatchProgress, { rows }: BatchSource): ClaimsError | undefined {
  const worst = aggregateErrors(course.allFailures(), `${rows.length} submissions`);
  if (worst === undefined) return undefined;
  const goesOn = course.isStopped || (worst.kind === "unreachable" && worst.code !== "outcome_unknown");
  if (!goesOn) return worst;
  // How one submission goes on after an interruption is no other way.
  const further = worst.kind === "interrupted" ? "" : `; ${worst.hint}`;
  return rephraseError(worst, { hint: `run the same command again: it goes on where it was${further}` });
}
