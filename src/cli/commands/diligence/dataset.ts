import type { StreamedAnswer } from "../../../client/client.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import { command } from "../../command.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { formatOf } from "../../output/format.ts";
import { list } from "../../output/output.ts";
import { openService, type Service } from "../../service.ts";
import { ENTRY_COLUMNS, type Entry, entriesIn, everyFieldOf } from "./dataset-entries.ts";
import { whyNotReadable } from "./job.ts";
import { oneJobId } from "./jobs.ts";
import { jobArgument } from "./options.ts";

const MEDIA_TYPE = { json: "application/json", csv: "text/csv", ndjson: "application/x-ndjson" } as const;

type ServedFormat = keyof typeof MEDIA_TYPE;

export const dataset = command({
  name: "dataset",
  summary: "print the dataset of a job, entry by entry",
  remote: "reads",
  answers: "list",
  arguments: [jobArgument],
  options: {},
  examples: [
    "claims diligence dataset 7d9c… --csv --out dataset.csv",
    "claims diligence dataset 7d9c… --fields entryNumber,route,nextDeadline",
  ],
  async run(context, call) {
    const { args, global } = call;
    const id = await oneJobId(context, args.job);
    const format = servedFormat(global);
    const service = await openService(context, call);
    const answer = await read(service, id, format ?? "ndjson");
    const { body } = answer;
    const contentType = answer.headers["content-type"];
    if (format === null) {
      const entries = entriesIn(body, contentType);
      const { isTerminal } = context.stdout;
      return isTerminal || global.fields
        ? list<Entry>({
            items: entries,
            columns: ENTRY_COLUMNS,
            idOf: ({ entryNumber }) => (typeof entryNumber === "string" ? entryNumber : null),
            empty: "the dataset has no entry",
          })
        : { kind: "stream", body: everyFieldOf(entries) };
    }
    const wasAsked = formatOf(global) !== "text";
    if (wasAsked && !contentType?.startsWith(MEDIA_TYPE[format])) throw notAvailable(format, contentType);
    return { kind: "stream", body };
  },
});

/** The format in which the service itself is asked for the dataset; null where we choose from it. */
function servedFormat(global: GlobalOptions): ServedFormat | null {
  const format = formatOf(global);
  if (global.fields || format === "ids") return null;
  if (format !== "text") return format;
  return global.out === undefined ? null : "json";
}
const notAvailable = (format: ServedFormat, contentType = "no content type"): ClaimsError =>
  new ClaimsError(
    "rejected",
    "format_not_available",
    `the service answered ${contentType}, not ${MEDIA_TYPE[format]}`,
    {
      hint: "leave the format out to see what it has",
    },
  );

async function read(service: Service, id: string, format: ServedFormat): Promise<StreamedAnswer> {
  try {
    return await service.client.stream(service.operations.diligence.dataset, {
      params: { jobId: id },
      accept: MEDIA_TYPE[format],
    });
  } catch (error) {
    throw await whyNotReadable(service, id, error);
  }
}
