import { setMaxListeners } from "node:events";
import { relative, resolve } from "node:path";
import { usageError } from "../../../../domain/errors.ts";
import { createLimit } from "../../../../domain/limit.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { confirmProductionWrite, isDryRun, openService } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { refuseReplacedInput } from "../../../files/replaced-input.ts";
import { requireFields } from "../../../framework/response-fields.ts";
import { type Output, toListOutput } from "../../../output/output.ts";
import { startProgress } from "../../../output/progress.ts";
import { printMessage } from "../../../output/stderr.ts";
import { requireWait } from "../options.ts";
import { assignFolders } from "./assign-folders.ts";
import {
  type BatchItem,
  type BatchStatus,
  createItem,
  createItemColumns,
  formatCounts,
  logReason,
  summarize,
  summarizeFailures,
  summaryBlocks,
  toJson,
} from "./item.ts";
import {
  type BatchRow,
  type BatchSource,
  describePassedOver,
  RESULT_FIELDS,
  readSource,
} from "./manifest.ts";
import { type BatchContext, type BatchInvocation, openBatch } from "./open-batch.ts";
import { followItem, refuseAll, resumeItem, submitRow } from "./process-item.ts";
import { watchFiles } from "./watch-files.ts";

/** A batch can wait as long as a service asks for, up to ten minutes. */
const BATCH_RETRY_POLICY = { maxAttempts: 6, maxPauseMs: 600_000 };

export async function runBatch(
  context: Context,
  call: BatchInvocation,
  concurrency: number,
): Promise<Output> {
  const { args, global, options } = call;
  // Every request in flight listens to it; Node warns about a leak above ten listeners.
  setMaxListeners(0, context.signal);
  if (options.check === "off" && !global.yes && !isDryRun(global)) {
    throw usageError("missing_option", "--check off sends every file without a check; it needs --yes", {
      hint: "give --yes; or let one file pass, with off in the column check of a manifest",
    });
  }
  const isFollowed = Boolean(options.wait || options.pull !== undefined || global.sandbox);
  requireWait(options.failOn, isFollowed);
  const source = await readSource(context, args.source, {
    seller: options.sellerName,
    protestDocs: options.protestDocs ?? false,
    check: options.check ?? "warn",
  });
  if (global.out !== undefined) {
    const files = [...(source.path === null ? [] : [source.path]), ...source.rows.map(({ path }) => path)];
    const names = files.map((file) => relative(context.cwd, file));
    await refuseReplacedInput(context, "--out", global.out, names);
  }
  const fields = ["file", "seller", ...source.extraColumns, ...RESULT_FIELDS];
  requireFields(global.fields, (name) => fields.includes(name), `the fields are ${fields.join(", ")}`);
  const { rows } = source;
  if (rows.length === 0) return printNothing(context, source);
  const requireUnchanged = await watchFiles(rows);
  const service = await openService(context, call, {
    concurrency,
    retryPolicy: BATCH_RETRY_POLICY,
    retryForMs: options.retryFor,
  });
  await confirmProductionWrite(context, global, service, `submit ${formatCount(rows.length, "file")}`);
  const folderFor =
    options.pull === undefined ? () => null : assignFolders(rows, resolve(context.cwd, options.pull));
  const shared = { concurrency, requireUnchanged, folderFor, isFollowed, source };
  const batch = await openBatch(context, call, service, shared);
  const refused = options.allOrNothing ? await refuseAll(batch) : null;
  // cron mails what is printed.
  const isQuiet = global.out !== undefined && !global.json && !context.stderr.isTerminal;
  const submitting = isQuiet ? { ...batch, context: withoutNotes(context) } : batch;
  const work: Work = async (row, sentContent) => {
    if (refused) return refused.get(row) ?? createItem(row, "not sent");
    const item = await submitRow(submitting, row, sentContent);
    return options.resume ? resumeItem(batch, item) : item;
  };
  if (isDryRun(global)) {
    if (rows.length > 1) printMessage(context, `showing the first request of ${rows.length} submissions`);
    // Ends at the first request, which throws.
    for (const row of rows) await work(row);
  }
  async function* items(): AsyncGenerator<BatchItem> {
    yield* processRows(batch, work);
    printEnd(batch, isQuiet);
  }
  const listDone = () => rows.flatMap((row) => batch.done.get(row) ?? []);
  return toListOutput({
    items: items(),
    columns: createItemColumns(source),
    toRecord: toJson,
    idOf: ({ jobId }) => jobId,
    pipeFormat: "ndjson",
    emptyMessage: "",
    details: () => summaryBlocks(listDone()),
    failure: () => summarizeFailures(context, listDone(), batch.progress.isStopped),
  });
}

/** A folder without entry files, which may also be a disk that is not mounted: the message comes in every run. */
function printNothing(context: Context, source: BatchSource): Output {
  printMessage(context, `no .csv files in ${source.displayName}: nothing to submit`);
  return toListOutput({
    items: [],
    columns: createItemColumns(source),
    pipeFormat: "ndjson",
    emptyMessage: "",
  });
}

/** Notes on a file that was sent before come in every run. The result has its job. */
const withoutNotes = (context: Context): Context => ({
  ...context,
  stderr: { ...context.stderr, messages: "warnings" },
});

/** @param sentContent as in `submitRow` */
type Work = (row: BatchRow, sentContent?: string) => Promise<BatchItem>;

/** Yields the items in the order of the rows, each as soon as those before it have ended. */
async function* processRows(batch: BatchContext, work: Work): AsyncGenerator<BatchItem> {
  const { context, done } = batch;
  const { rows } = batch.source;
  const progress = startProgress(context.stderr, `0 of ${rows.length}`);
  /** Counted item by item: a batch may have 100,000 rows. */
  const counts = new Map<BatchStatus, number>();
  const items = startRows(batch, work, (item) => {
    done.set(item.row, item);
    counts.set(item.status, (counts.get(item.status) ?? 0) + 1);
    // The spinner needs two columns. A line that wraps cannot be erased.
    const text = `${done.size} of ${rows.length}: ${formatCounts(counts)}`;
    progress.update(text.slice(0, Math.max(0, context.stderr.columns - 3)));
    logReason(context, item);
  });
  const allEnded = Promise.allSettled(items.values());
  try {
    for (const row of rows) {
      const item = await items.get(row);
      if (item) yield item;
    }
  } finally {
    batch.progress.isAbandoned = done.size < rows.length;
    await allEnded;
    progress.stop();
  }
}

/**
 * Starts to submit the rows. When all have been sent, those with an unknown outcome are tried again, under their keys. Each
 * job is followed while other rows are submitted.
 */
function startRows(
  batch: BatchContext,
  work: Work,
  onEnd: (item: BatchItem) => void,
): ReadonlyMap<BatchRow, Promise<BatchItem>> {
  const { concurrency, source } = batch;
  const submitting = createLimit(concurrency);
  const following = createLimit(concurrency);
  // Of two equal files, the one with the shorter name is the original: c01.csv, not "c01 (1).csv".
  const inOrder = source.rows.toSorted((one, other) => one.name.length - other.name.length);
  const firstTries = new Map(inOrder.map((row) => [row, submitting(() => work(row))]));
  const allTried = Promise.allSettled(firstTries.values());
  const finish = async (firstTry: Promise<BatchItem>) => {
    let item = await firstTry;
    if (canRepeat(batch, item)) {
      await allTried;
      item = await submitting(() => repeat(batch, item, work));
    }
    // The other file with its entries is sent by now.
    if (item.status === "duplicate" && batch.policy.onDuplicate === "skip") {
      await allTried;
      item = await submitting(() => work(item.row));
    }
    item = await following(() => followItem(batch, item));
    onEnd(item);
    return item;
  };
  return new Map([...firstTries].map(([row, firstTry]) => [row, finish(firstTry)]));
}

const canRepeat = ({ context, progress }: BatchContext, { error, status }: BatchItem): boolean =>
  status === "unknown" && error?.kind === "unreachable" && !progress.isStopped && !context.signal.aborted;

/** Tries a submission with unknown outcome again, as long as the service may respond. */
async function repeat(batch: BatchContext, item: BatchItem, work: Work): Promise<BatchItem> {
  const { outages } = batch.service.client;
  let last = item;
  do {
    const again = await work(item.row, item.sent?.content);
    // The run was stopped, or the file has changed or cannot be read: the outcome is still unknown.
    if (again.status === "not sent" || again.status === "invalid") return last;
    last = again;
  } while (last.error && canRepeat(batch, last) && (await outages.waitForRetry(last.error)));
  return last;
}

/** Prints what became of the rows; nothing after a night with nothing to do, because cron mails what is printed. */
function printEnd(batch: BatchContext, isQuiet: boolean): void {
  const { context, done, global, isFollowed, progress, source } = batch;
  const items = [...done.values()];
  const isUnchanged = !progress.hasWritten && items.every(isComplete);
  const passedOver = describePassedOver(source);
  const isPassedOverShown = context.stdout.isTerminal || global.verbose || !isUnchanged;
  if (passedOver !== null && isPassedOverShown) printMessage(context, passedOver);
  if (items.length === 0 || (isQuiet && isUnchanged)) return;
  const newCount = items.filter(({ sent }) => sent?.isFromThisRun).length;
  const sent = isFollowed ? `; ${newCount} of them sent by this run` : "";
  printMessage(context, `${formatCount(items.length, "submission")}: ${summarize(items)}${sent}`);
}

const QUIET_STATUSES: readonly BatchStatus[] = ["completed", "already", "accepted, no id", "forgotten"];

/** Whether there is nothing to do, in this night and in each after it. */
const isComplete = ({ error, status }: BatchItem): boolean =>
  error === null && QUIET_STATUSES.includes(status);
