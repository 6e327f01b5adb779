import { setMaxListeners } from "node:events";
import { relative, resolve } from "node:path";
import { usageError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { confirmProductionWrite, isDryRun, openService } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { refuseReplacedInput } from "../../../files/replaced-input.ts";
import { requireFields } from "../../../framework/response-fields.ts";
import { type Output, toListOutput } from "../../../output/output.ts";
import { startProgress } from "../../../output/progress.ts";
import { printMessage } from "../../../output/stderr.ts";
import { requireWait } from "../options.ts";
import { assignFolders, type FollowOptions, followItem, resumeItem } from "./follow-item.ts";
import {
  type BatchItem,
  type BatchStatus,
  createItem,
  createItemColumns,
  formatCounts,
  RESULT_FIELDS,
  summarize,
  toJson,
} from "./item.ts";
import { describePassedOver, readSource } from "./manifest.ts";
import { mapConcurrently } from "./map-concurrently.ts";
import { type BatchContext, type BatchInvocation, openBatch } from "./open-batch.ts";
import type { BatchRow, BatchSource } from "./row.ts";
import { refuseAll, submitItem } from "./submit-item.ts";
import { logReason, summarizeFailures, summaryBlocks } from "./summary.ts";

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
  requireWait(options.failOn, Boolean(options.wait || options.pull !== undefined || global.sandbox));
  const source = await readSource(context, args.source, {
    seller: options.sellerName,
    protestDocs: options.protestDocs ?? false,
    check: options.check ?? "warn",
  });
  await refuseReplacedSource(context, global.out, source);
  const fields = ["file", "seller", ...source.extraColumns, ...RESULT_FIELDS];
  requireFields(global.fields, (name) => fields.includes(name), `the fields are ${fields.join(", ")}`);
  const service = await openService(context, call, {
    concurrency,
    retryPolicy: BATCH_RETRY_POLICY,
    retryForMs: options.retryFor,
  });
  const { rows } = source;
  await confirmProductionWrite(context, global, service, `submit ${formatCount(rows.length, "file")}`);
  const batch = await openBatch(context, call, service, source);
  const refused = options.allOrNothing ? await refuseAll(batch, rows, concurrency) : null;
  const follow = chooseFollowing(context, call, rows);
  // cron mails what is printed.
  const isQuiet = global.out !== undefined && !global.json && !context.stderr.isTerminal;
  const submitting = isQuiet ? { ...batch, context: withoutNotes(context) } : batch;
  const work = async (row: BatchRow) => {
    if (refused) return refused.get(row) ?? createItem(row, "not sent");
    const item = await submitItem(submitting, row);
    return options.resume ? resumeItem(batch, item) : item;
  };
  if (isDryRun(global)) await previewFirst(context, rows, work);

  const done = new Map<BatchRow, BatchItem>();
  const listDone = () => rows.flatMap((row) => done.get(row) ?? []);
  // Of two equal files, the one with the shorter name is the original: c01.csv, not "c01 (1).csv".
  const byLength = rows.toSorted((one, other) => one.name.length - other.name.length);
  const run = {
    rows: byLength,
    concurrency,
    work,
    done,
    follow,
    isQuiet,
    passedOver: describePassedOver(source),
  };
  return toListOutput({
    items: sortByRow(processRows(batch, run), rows, done),
    columns: createItemColumns(source, context.stdout.columns),
    toRecord: toJson,
    idOf: ({ jobId }) => jobId,
    pipeFormat: "ndjson",
    isLive: true,
    emptyMessage: "nothing to submit",
    details: () => summaryBlocks(listDone()),
    failure: () => summarizeFailures(context, listDone(), batch.progress.isStopped),
  });
}

/** Notes on a file that was sent before come in every run. The result has its job. */
const withoutNotes = (context: Context): Context => ({
  ...context,
  stderr: { ...context.stderr, messages: "warnings" },
});

type Work = (row: BatchRow) => Promise<BatchItem>;

function chooseFollowing({ cwd }: Context, { global, options }: BatchInvocation, rows: readonly BatchRow[]) {
  const { failOn, pull, wait } = options;
  if (!(wait || pull !== undefined || global.sandbox)) return null;
  return {
    global,
    failOn,
    folderFor: pull === undefined ? () => null : assignFolders(rows, resolve(cwd, pull)),
  };
}

/** Ends at the first request: a dry run throws it. */
async function previewFirst(context: Context, rows: readonly BatchRow[], work: Work): Promise<void> {
  if (rows.length > 1) printMessage(context, `showing the first request of ${rows.length} submissions`);
  for (const row of rows) await work(row);
}

interface BatchRun {
  readonly rows: readonly BatchRow[];
  readonly concurrency: number;
  readonly work: Work;
  readonly follow: FollowOptions | null;
  readonly done: Map<BatchRow, BatchItem>;
  /** Whether a run with nothing to do prints nothing. */
  readonly isQuiet: boolean;
  readonly passedOver: string | null;
}

async function* processRows(batch: BatchContext, run: BatchRun) {
  const { context } = batch;
  const { rows, concurrency, work, follow, done, passedOver } = run;
  const progress = startProgress(context.stderr, `0 of ${rows.length}`);
  /** Counted item by item: a batch may have 100,000 rows. */
  const counts = new Map<BatchStatus, number>();
  try {
    const submit = (each: readonly BatchRow[]) => mapConcurrently(each, concurrency, work);
    const submitted = resendAtEnd(batch, rows, submit);
    const ended = follow
      ? mapConcurrently(submitted, concurrency, (item) => followItem(batch, follow, item))
      : submitted;
    for await (const item of ended) {
      done.set(item.row, item);
      counts.set(item.status, (counts.get(item.status) ?? 0) + 1);
      // The spinner needs two columns. A line that wraps cannot be erased.
      const text = `${done.size} of ${rows.length}: ${formatCounts(counts)}`;
      progress.update(text.slice(0, Math.max(0, context.stderr.columns - 3)));
      logReason(context, item);
      yield item;
    }
  } finally {
    progress.stop();
  }
  const items = [...done.values()];
  const isUnchanged = !batch.progress.hasWritten && items.every(isComplete);
  const isPassedOverQuiet = !context.stdout.isTerminal && !batch.isVerbose;
  if (passedOver !== null && !(isPassedOverQuiet && isUnchanged)) printMessage(context, passedOver);
  if (rows.length === 0 || (run.isQuiet && isUnchanged)) return;
  const newCount = items.filter(({ sent }) => sent && !sent.isEarlier).length;
  const sent = follow ? `; ${newCount} of them sent by this run` : "";
  printMessage(context, `${formatCount(rows.length, "submission")}: ${summarize(items)}${sent}`);
}

const isComplete = ({ error, status }: BatchItem): boolean =>
  error === null && (status === "completed" || status === "already");

/** Tries submissions with unknown outcome again, under their keys, when all others have been sent. */
async function* resendAtEnd(
  { context, progress, service }: BatchContext,
  rows: readonly BatchRow[],
  submit: (rows: readonly BatchRow[]) => AsyncIterable<BatchItem>,
): AsyncGenerator<BatchItem> {
  const unknown = new Map<BatchRow, BatchItem>();
  const canResend = ({ error, status }: BatchItem) =>
    status === "unknown" && error?.kind === "unreachable" && !progress.isStopped && !context.signal.aborted;
  for await (const item of submit(rows)) {
    if (canResend(item)) unknown.set(item.row, item);
    else yield item;
  }
  while (unknown.size > 0) {
    const again = [...unknown];
    unknown.clear();
    for await (const item of submit(again.map(([row]) => row))) {
      const before = again.find(([row]) => row === item.row)?.[1];
      if (item.error && canResend(item) && (await service.client.outages.waitForRetry(item.error)))
        unknown.set(item.row, item);
      // A stop leaves the outcome unknown.
      else yield item.status === "not sent" && before ? before : item;
    }
  }
}

/** Yields the items in the order of the rows, each as soon as those before it have ended. */
async function* sortByRow(
  items: AsyncIterable<BatchItem>,
  rows: readonly BatchRow[],
  done: ReadonlyMap<BatchRow | undefined, BatchItem>,
) {
  let next = 0;
  for await (const _ of items)
    for (let ready = done.get(rows[next]); ready; ready = done.get(rows[next])) {
      yield ready;
      next += 1;
    }
}

/** @throws ClaimsError `duplicate_file` if `--out` would replace the manifest or an entry file */
async function refuseReplacedSource(context: Context, out: string | undefined, { path, rows }: BatchSource) {
  if (out === undefined) return;
  const files = [...(path === null ? [] : [path]), ...rows.map((row) => row.path)];
  await refuseReplacedInput(
    context,
    "--out",
    out,
    files.map((file) => relative(context.cwd, file)),
  );
}
