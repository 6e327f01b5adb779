import type { StreamingResponse } from "../../../../client/client.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import type { Service } from "../../../connection/service.ts";
import { command } from "../../../framework/command.ts";
import type { GlobalOptions } from "../../../framework/options.ts";
import { chooseFormat } from "../../../output/format.ts";
import { type Output, toListOutput } from "../../../output/output.ts";
import { explainNotReadable } from "../job.ts";
import { openJob } from "../jobs.ts";
import { jobArgument, last } from "../options.ts";
import { type DatasetEntry, ENTRY_COLUMNS, readEntries, renderEveryField } from "./entries.ts";

const MEDIA_TYPE = { json: "application/json", csv: "text/csv", ndjson: "application/x-ndjson" } as const;

type ServedFormat = keyof typeof MEDIA_TYPE;

export const dataset = command({
  name: "dataset",
  summary: "print the dataset of a job, entry by entry",
  remote: "reads",
  output: "list",
  arguments: [jobArgument],
  options: last,
  examples: [
    "claims diligence dataset 7d9c… --csv --out dataset.csv",
    "claims diligence dataset 7d9c… --fields entryNumber,route,nextDeadline",
  ],
  async run(context, call) {
    const { global } = call;
    const format = chooseServedFormat(global);
    const { id, service } = await openJob(context, call);
    const answer = await fetchDataset(service, id, format ?? "ndjson");
    const { body } = answer;
    const contentType = answer.headers["content-type"];
    if (format === null) {
      const entries = readEntries(body, contentType);
      const forPipe = !context.stdout.isTerminal && !global.fields && !global.quiet;
      return forPipe
        ? { kind: "stream", body: renderEveryField(entries, contractFields(service)) }
        : listEntries(entries);
    }
    const wasAsked = chooseFormat(global) !== "text";
    if (wasAsked && !contentType?.startsWith(MEDIA_TYPE[format]))
      throw formatNotAvailableError(format, contentType);
    return { kind: "stream", body: format === "csv" ? body : requireJson(body) };
  },
});

/** The format in which the service itself is asked for the dataset; null where we choose from it. */
function chooseServedFormat(global: GlobalOptions): ServedFormat | null {
  const format = chooseFormat(global);
  if (global.fields || format === "ids") return null;
  if (format !== "text") return format;
  return global.out === undefined ? null : "json";
}

const listEntries = (entries: AsyncIterable<DatasetEntry>): Output =>
  toListOutput<DatasetEntry>({
    items: entries,
    columns: ENTRY_COLUMNS,
    idOf: ({ entryNumber }) => (typeof entryNumber === "string" ? entryNumber : null),
    emptyMessage: "the dataset has no entry",
  });

/** The fields of an entry in the contract's order. */
const contractFields = ({ operations }: Service): string[] =>
  Object.keys(operations.diligence.dataset.response.schema.properties.rows.items.properties);

/** The bytes as they come; a service that says JSON and sends something else is found out by the first of them. */
async function* requireJson(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isChecked = false;
  for await (const chunk of body) {
    const beginning: string = isChecked ? "" : Buffer.from(chunk).toString("latin1").trimStart();
    if (beginning !== "" && !/^[[{]/.test(beginning)) {
      throw new ClaimsError(
        "unreachable",
        "unexpected_response",
        "the dataset is not JSON, though the service says so",
        {
          hint: "check that the base URL is the service itself",
        },
      );
    }
    isChecked ||= beginning !== "";
    yield chunk;
  }
}

const formatNotAvailableError = (format: ServedFormat, contentType = "no content type"): ClaimsError =>
  new ClaimsError(
    "rejected",
    "format_not_available",
    `the service answered ${contentType}, not ${MEDIA_TYPE[format]}`,
    {
      hint: "leave the format out to see what it has",
    },
  );

async function fetchDataset(service: Service, id: string, format: ServedFormat): Promise<StreamingResponse> {
  try {
    return await service.client.stream(service.operations.diligence.dataset, {
      params: { jobId: id },
      accept: MEDIA_TYPE[format],
    });
  } catch (error) {
    throw await explainNotReadable(service, id, error);
  }
}
