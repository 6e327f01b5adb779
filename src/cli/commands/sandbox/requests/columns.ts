import type { JournalEntry } from "../../../../../sandbox/index.ts";
import type { Column } from "../../../output/output.ts";

/** Columns of a list of requests, each of its own width, so that one can be shown as it comes. */
export const REQUEST_COLUMNS: readonly Column<JournalEntry>[] = [
  { name: "number", title: "no.", align: "right", width: 6, of: ({ number }) => number },
  { name: "at", title: "time", width: 20, of: ({ at }) => at, shown: ({ at }) => at.replace(/\.\d+Z$/, "Z") },
  { name: "method", width: 6, of: ({ method }) => method },
  { name: "target", title: "path", width: 48, of: ({ target }) => target },
  { name: "status", align: "right", width: 6, of: ({ status }) => status },
  {
    name: "durationMs",
    title: "ms",
    align: "right",
    width: 7,
    of: ({ durationMs }) => durationMs,
    shown: ({ durationMs }) => durationMs?.toFixed(1) ?? null,
  },
  { name: "unusual", title: "", width: 60, of: unusual },
  { name: "operation", hidden: true, of: ({ operation }) => operation },
  { name: "requestId", hidden: true, of: ({ requestId }) => requestId },
];

/** What sets a request apart from most, in words; empty where nothing does. */
export function unusual(entry: JournalEntry): string {
  const { outcome, fault, alias, replayOf, idempotentReplay, varied } = entry;
  return [
    ...(outcome === "answered" ? [] : [outcome]),
    ...(fault === null ? [] : [`fault: ${fault}`]),
    ...(idempotentReplay ? ["the stored answer"] : []),
    ...(alias ? [`alias of ${alias.canonicalPath}`] : []),
    ...(replayOf === null ? [] : [`repeats ${replayOf}`]),
    ...(varied.length === 0 ? [] : [`greased: ${varied.join(" ")}`]),
  ].join("; ");
}
