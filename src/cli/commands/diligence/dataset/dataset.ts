import { command } from "../../../framework/command.ts";
import type { GlobalOptions } from "../../../framework/options.ts";
import { chooseFormat } from "../../../output/format.ts";
import { toListOutput } from "../../../output/output.ts";
import { openJob } from "../job.ts";
import { jobArgument, last } from "../options.ts";
import { type DatasetFormat, passWholeDataset, readFormat, requireForm } from "./complete.ts";
import { ENTRY_COLUMNS, openDataset, readEntries, renderEveryField, requireFormat } from "./entries.ts";

export const dataset = command({
  name: "dataset",
  summary: "print the dataset of a job",
  remote: "reads",
  output: "list",
  operation: ({ diligence }) => diligence.dataset,
  arguments: [jobArgument],
  options: last,
  examples: [
    "claims diligence dataset 7d9c… --out dataset.csv",
    "claims diligence dataset 7d9c… --fields entryNumber,route,nextDeadline",
    "claims diligence dataset 7d9c… --ndjson | jq -c 'select(.route == \"protest\")'",
  ],
  async run(context, call) {
    const { global } = call;
    const format = chooseServedFormat(global);
    const { id, service } = await openJob(context, call);
    const response = await openDataset(service, id, format ?? "ndjson");
    const { body, headers } = response;
    if (format === "csv" && service.mapping && readFormat(headers) !== "csv") {
      const { renderCsvOfEntries } = await import("./csv-entries.ts");
      return { kind: "stream", body: renderCsvOfEntries(readEntries(service, response)) };
    }
    if (format !== null) {
      const isCsvAlone = format === "csv" && service.mapping?.["dataset.csv"] !== undefined;
      if (chooseFormat(global) !== "text" && !isCsvAlone) requireFormat(headers["content-type"], format);
      return { kind: "stream", body: passWholeDataset(requireForm(body, format), headers) };
    }
    const entries = readEntries(service, response);
    if (!context.stdout.isTerminal && !global.fields && !global.quiet) {
      return { kind: "stream", body: renderEveryField(entries) };
    }
    return toListOutput({
      items: entries,
      columns: ENTRY_COLUMNS,
      idOf: ({ entryNumber }) => (typeof entryNumber === "string" ? entryNumber : null),
      emptyMessage: "the dataset is empty",
    });
  },
});

/** The format to request from the service; null where this program formats the entries itself. */
function chooseServedFormat(global: GlobalOptions): DatasetFormat | null {
  const format = chooseFormat(global);
  if (global.fields || format === "ids") return null;
  if (format !== "text") return format;
  return global.out === undefined ? null : "json";
}
