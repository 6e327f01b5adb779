import { requireKnownCharset } from "../../../../client/http/classify-body.ts";
import { readResponse, type StreamingResponse } from "../../../../client/http/response.ts";
import { readJobId } from "../../../../client/wait.ts";
import type { Mapping } from "../../../../contract/mapping/mapping.ts";
import { toPath, valueAtPath } from "../../../../contract/mapping/path.ts";
import { DATASET_COLUMNS } from "../../../../domain/diligence/dataset.ts";
import { isRecord, isTooDeep, quoteValue, valueAt, walkByLevel } from "../../../../domain/json.ts";
import { labelCode, labelRoute } from "../../../../domain/labels.ts";
import { readLines } from "../../../../domain/text.ts";
import type { Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { command } from "../../../framework/command.ts";
import type { GlobalOptions } from "../../../framework/options.ts";
import { formatTabbedLine } from "../../../output/cell-text.ts";
import { chooseFormat } from "../../../output/format.ts";
import { type ListColumn, toListOutput } from "../../../output/output.ts";
import { createMoneyColumn } from "../../../output/record-card.ts";
import { printMessage } from "../../../output/stderr.ts";
import { explainRefusal, openJob, requireReady, requireSameJob } from "../job.ts";
import { jobArgument, last } from "../options.ts";
import {
  type DatasetFormat,
  type EndCheck,
  noEntriesError,
  notInFormError,
  otherFormatError,
  passWholeDataset,
  readFormat,
  requireForm,
} from "./complete.ts";
import { isRow, locateRows } from "./rows.ts";
import { unreadableDatasetError } from "./whole-body.ts";

/** One row of a dataset, with the fields of any service. */
export type DatasetEntry = Readonly<Record<string, unknown>>;

/** The widths are fixed: a dataset is too long to measure. 80 columns fit all but the classification. */
const ENTRY_COLUMNS: readonly ListColumn<DatasetEntry>[] = [
  { name: "entryNumber", width: 11, title: "entry", isWhole: true },
  {
    name: "route",
    width: 18,
    display: ({ route }) => (typeof route === "string" ? labelRoute(route) : null),
  },
  { name: "nextDeadline", width: 10, title: "deadline", isWhole: true },
  { ...createMoneyColumn("ieepaDutyCents", "IEEPA duty"), width: 14 },
  { ...createMoneyColumn("interestCents", "interest"), width: 11 },
  { name: "grade", width: 5 },
  {
    name: "classification",
    width: 32,
    isBelow: true,
    display: ({ classification }) => (typeof classification === "string" ? labelCode(classification) : null),
  },
  { name: "line", width: 7, align: "right" },
];

const KNOWN_PATHS: ReadonlySet<string> = new Set(DATASET_COLUMNS);

/** The columns of the contract in their order, so that a script can rely on it, then the other fields. */
async function* renderEveryField(entries: AsyncIterable<DatasetEntry>) {
  for await (const entry of entries) {
    const fields = Object.entries(entry).flatMap(([name, value]) =>
      name === "deadlines" && isRecord(value)
        ? Object.entries(value).map(([inner, day]) => [`deadlines.${inner}`, day] as const)
        : [[name, value] as const],
    );
    const others = fields.filter(([path]) => !KNOWN_PATHS.has(path)).map(([, value]) => value);
    const hasKnown = others.length < fields.length;
    const known = hasKnown ? DATASET_COLUMNS.map((path) => valueAt(entry, path)) : [];
    yield formatTabbedLine([...known, ...others]);
  }
}

const MAX_JSON_DATASET_BYTES = 256 << 20;

/** Reads CSV if the service has nothing else, NDJSON, or one JSON document as a whole. */
export async function* readEntries(
  { client, mapping, operations }: Service,
  response: StreamingResponse,
): AsyncGenerator<DatasetEntry> {
  const csv = mapping?.["dataset.csv"];
  if (csv) {
    const { readCsvEntries } = await import("./csv-entries.ts");
    return yield* readCsvEntries(response.body, csv);
  }
  const format = readFormat(response.headers);
  if (format === "csv") throw otherFormatError(response.headers, MEDIA_TYPE.json);
  if (format === "ndjson") {
    for await (const line of readLines(response.body)) yield requireEntry(parseJson(line, response));
    return;
  }
  const { body } = await readResponse(response, "GET", MAX_JSON_DATASET_BYTES);
  const document = parseJson(body.toString("utf8"), response);
  for (const row of findRows(client.readerOf(operations.diligence.dataset).read(document)))
    yield requireEntry(row);
}

function parseJson(text: string, { headers }: StreamingResponse): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw notInFormError("json", headers, cause);
  }
  if (isTooDeep(value)) throw unreadableDatasetError("the dataset is nested too deeply");
  return value;
}

function requireEntry(value: unknown): DatasetEntry {
  if (isRecord(value)) return value;
  throw noEntriesError(quoteValue(value));
}

function findRows(document: unknown): readonly unknown[] {
  const place = locateRows(document);
  if (place) return place.rows;
  throw noEntriesError(quoteValue(document));
}

const MEDIA_TYPE: Readonly<Record<DatasetFormat, string>> = {
  json: "application/json",
  csv: "text/csv",
  ndjson: "application/x-ndjson",
};

/**
 * Requests the dataset of a job. The body arrives while it is read, and throws `wrong_job` if it is of another job, and
 * `list_incomplete` or another error at its end if it is not whole.
 */
export async function openDataset(
  service: Service,
  id: string,
  format: DatasetFormat,
  checkEnd: EndCheck = () => {},
): Promise<StreamingResponse> {
  const { client, mapping, operations } = service;
  const input = {
    params: { jobId: id },
    accept: MEDIA_TYPE[mapping?.["dataset.csv"] ? "csv" : format],
  };
  const response = await explainRefusal(service, id, client.stream(operations.diligence.dataset, input));
  requireReady(response, id, "the dataset");
  requireKnownCharset(response, "the dataset");
  const requireJob = (document: unknown): boolean => {
    const jobId = findJobOfDataset(document, mapping);
    requireSameJob(id, jobId, "the dataset");
    return jobId !== null;
  };
  return { ...response, body: passWholeDataset(response, requireJob, checkEnd) };
}

/** The job that a dataset names outside of its rows, in the shallowest object that names one; null if none does. */
function findJobOfDataset(document: unknown, mapping: Mapping | undefined): string | null {
  const line = mapping?.["dataset.jobId"];
  if (typeof line === "string") return readJobId({ jobId: valueAtPath(document, toPath(line)) });
  for (const fields of walkByLevel(document)) {
    const id = readJobId(fields);
    if (id !== null) return id;
  }
  return null;
}

/**
 * @param isAsked whether the user wrote the format: --out alone saves JSON of any content type
 * @throws ClaimsError `format_not_available` if the service sent another format
 */
function requireFormat(headers: StreamingResponse["headers"], format: DatasetFormat, isAsked: boolean): void {
  const isSent = isAsked
    ? headers["content-type"]?.startsWith(MEDIA_TYPE[format])
    : readFormat(headers) !== "csv";
  if (!isSent) throw otherFormatError(headers, MEDIA_TYPE[format]);
}

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
    const { headers } = response;
    if (format === "csv" && service.mapping && readFormat(headers) !== "csv") {
      const { renderCsvOfEntries } = await import("./csv-entries.ts");
      return { kind: "stream", body: renderCsvOfEntries(readEntries(service, response)) };
    }
    if (format !== null) {
      const isCsvAlone = format === "csv" && service.mapping?.["dataset.csv"] !== undefined;
      if (!isCsvAlone) requireFormat(headers, format, chooseFormat(global) !== "text");
      return { kind: "stream", body: requireForm(response, format) };
    }
    const entries = readEntries(service, response);
    const isTable = !global.fields && !global.quiet;
    if (!context.stdout.isTerminal && isTable) return { kind: "stream", body: renderEveryField(entries) };
    return toListOutput({
      items: isTable ? warnOfUnknownColumns(context, entries) : entries,
      columns: ENTRY_COLUMNS,
      idOf: ({ entryNumber }) => (typeof entryNumber === "string" ? entryNumber : null),
      emptyMessage: "the dataset is empty",
    });
  },
});

/** Says what a table does not show: the columns of another service have other names. */
async function* warnOfUnknownColumns(context: Context, entries: AsyncIterable<DatasetEntry>) {
  let isFirst = true;
  for await (const entry of entries) {
    if (isFirst && !isRow(entry)) {
      const names = Object.keys(entry).join(", ");
      printMessage(
        context,
        `warning: entries have the fields ${names}, which no column shows: --fields shows them`,
      );
    }
    isFirst = false;
    yield entry;
  }
}

/** The format to request from the service; null where this program formats the entries itself. */
function chooseServedFormat(global: GlobalOptions): DatasetFormat | null {
  const format = chooseFormat(global);
  if (global.fields || format === "ids") return null;
  if (format !== "text") return format;
  return global.out === undefined ? null : "json";
}
