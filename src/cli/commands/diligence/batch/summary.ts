import { type ClaimsError, interruptedError, rephraseError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import type { Context } from "../../../context.ts";
import { aggregateErrors } from "../../../framework/aggregate-errors.ts";
import type { TableBlock } from "../../../output/output.ts";
import { sanitizeLine } from "../../../output/sanitize.ts";
import { writeToStderr } from "../../../output/stderr.ts";
import { type BatchItem, formatReason, groupByStatus, labelStatus, readReason, summarize } from "./item.ts";

/** For a terminal: why files are not complete, and the counts with what to do. */
export function summaryBlocks(items: readonly BatchItem[]): readonly TableBlock[] {
  const groups = groupByStatus(items).map(([status, group]) => {
    const [hint = null, ...others] = uniqueHints(group);
    return [labelStatus(status), group.length, others.length > 0 ? "see above" : hint];
  });
  const summary: TableBlock = {
    kind: "table",
    title: formatCount(items.length, "submission"),
    columns: [{ name: "state" }, { name: "files", align: "right" }, { name: "what to do" }],
    rows: groups,
  };
  const reasons = items.flatMap((item) => {
    const reason = readReason(item);
    return reason
      ? [
          [item.row.name, formatReason(reason)],
          ["", `→ ${reason.hint}`],
        ]
      : [];
  });
  if (reasons.length === 0) return [summary];
  // A third column would be too narrow for a reason.
  const columns = [{ name: "file" }, { name: "reason and what to do" }];
  return [{ kind: "table", title: "Not complete", columns, rows: reasons }, summary];
}

const uniqueHints = (items: readonly BatchItem[]): readonly string[] => [
  ...new Set(items.flatMap((item) => readReason(item)?.hint ?? [])),
];

const CONTINUE = "run the same command again to continue the batch";

/** For a log: a file that is not complete. stdout is a pipe to a program, so this goes to stderr. */
export function logReason(context: Context, item: BatchItem): void {
  const { row, status } = item;
  const reason = readReason(item);
  if (context.stdout.isTerminal || reason === null) return;
  const at = new Date(context.now()).toISOString();
  const message = `${row.name}: ${labelStatus(status)}: ${formatReason(reason)} → ${reason.hint}`;
  writeToStderr(context, `${at} ${sanitizeLine(message)}\n`, { warning: { message, at } });
}

/** The failure of the batch: the kind of the most severe one, which decides the exit code. */
export function summarizeFailures(
  { signal, stdout }: Context,
  items: readonly BatchItem[],
  isStopped: boolean,
): ClaimsError | undefined {
  const failed = items.filter(({ error }) => error !== null);
  const errors = failed.flatMap(({ error }) => error ?? []);
  if (signal.aborted && !errors.some(({ kind }) => kind === "interrupted"))
    errors.push(interruptedError(signal.reason));
  const total = formatCount(items.length, "submission");
  const worst = aggregateErrors(errors, total);
  if (worst === undefined) return undefined;
  const isInterrupted = worst.kind === "interrupted";
  const unfinished = items.filter(({ error, status }) => error !== null || status === "not sent");
  const message = [
    isInterrupted ? "interrupted; " : "",
    `${unfinished.length} of ${total} not complete`,
    // The tables of a terminal have the counts.
    stdout.isTerminal || unfinished.length === 0 ? "" : ` (${summarize(unfinished)})`,
  ].join("");
  const canContinue =
    (isStopped && worst.kind !== "needs_decision") ||
    (worst.kind === "unreachable" && worst.code !== "outcome_unknown");
  const [only = CONTINUE, ...others] = uniqueHints(failed);
  const continues = canContinue || isInterrupted;
  return rephraseError(worst, {
    message,
    hint: continues ? CONTINUE : others.length === 0 ? only : "each file above has what to do",
  });
}
