import { requireKnownCharset } from "../../../../client/http/classify-body.ts";
import { readResponse, type StreamingResponse } from "../../../../client/http/response.ts";
import { DATASET_COLUMNS } from "../../../../domain/diligence/dataset.ts";
import { type ClaimsError, rejectedError, unreachableError } from "../../../../domain/errors.ts";
import { isRecord, isTooDeep, quoteValue, valueAt } from "../../../../domain/json.ts";
import { labelCode, labelRoute } from "../../../../domain/labels.ts";
import { formatDollars } from "../../../../domain/numbers.ts";
import { readLines } from "../../../../domain/text.ts";
import type { Service } from "../../../connection/service.ts";
import { formatTabbedLine } from "../../../output/cell-text.ts";
import type { ListColumn } from "../../../output/output.ts";
import { explainRefusal, requireReady } from "../job.ts";
import {
  type DatasetFormat,
  noEntriesError,
  readFormat,
  requireRows,
  requireWholeDataset,
} from "./complete.ts";

/** One row of a dataset, with the fields of any service. */
export type DatasetEntry = Readonly<Record<string, unknown>>;

const money = (name: string, title: string, width: number): ListColumn<DatasetEntry> => ({
  name,
  title,
  width,
  align: "right",
  isWhole: true,
  display: ({ [name]: cents }) => (typeof cents === "number" ? formatDollars(cents) : null),
});

/** The widths are fixed: a dataset is too long to measure. 80 columns fit all but the classification. */
export const ENTRY_COLUMNS: readonly ListColumn<DatasetEntry>[] = [
  { name: "entryNumber", width: 11, title: "entry", isWhole: true },
  {
    name: "route",
    width: 18,
    display: ({ route }) => (typeof route === "string" ? labelRoute(route) : null),
  },
  { name: "nextDeadline", width: 10, title: "deadline", isWhole: true },
  money("ieepaDutyCents", "IEEPA duty", 14),
  money("interestCents", "interest", 11),
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
export async function* renderEveryField(entries: AsyncIterable<DatasetEntry>) {
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

/**
 * Reads CSV if the service has nothing else, NDJSON, or one JSON document as a whole.
 *
 * @throws ClaimsError `list_incomplete` after the rows, if they are not all
 */
export async function* readEntries(
  { client, mapping, operations }: Service,
  response: StreamingResponse,
): AsyncGenerator<DatasetEntry> {
  const csv = mapping?.["dataset.csv"];
  if (csv) {
    const { readCsvEntries } = await import("./csv-entries.ts");
    yield* readCsvEntries(response.body, csv);
    return requireWholeDataset(response.headers);
  }
  if (readFormat(response.headers) === "ndjson") {
    for await (const line of readLines(response.body, checkLength)) yield requireEntry(parseJson(line));
    return requireWholeDataset(response.headers);
  }
  const { body } = await readResponse(response, "GET", MAX_JSON_DATASET_BYTES);
  const document = parseJson(body.toString("utf8"));
  requireRows(document);
  const rows = findRows(client.readerOf(operations.diligence.dataset).read(document));
  for (const row of rows) yield requireEntry(row);
  requireWholeDataset(response.headers, document, rows.length);
}

/** Characters. A quote or a line that never ends must not fill the memory. */
const MAX_RECORD_LENGTH = 1 << 20;

function checkLength(length: number): void {
  if (length > MAX_RECORD_LENGTH) throw unreadableDatasetError("the dataset has a record over 1 MiB");
}

function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw unreadableDatasetError("the dataset is not JSON", cause);
  }
  if (isTooDeep(value)) throw unreadableDatasetError("the dataset is nested too deeply");
  return value;
}

const unreadableDatasetError = (message: string, cause?: unknown): ClaimsError =>
  unreachableError("unexpected_response", message, {
    hint: "print what the service sends with --json or --csv",
    cause,
  });

function requireEntry(value: unknown): DatasetEntry {
  if (isRecord(value)) return value;
  throw noEntriesError(quoteValue(value));
}

/** The document itself, its `rows`, or its longest list. */
function findRows(document: unknown): readonly unknown[] {
  if (Array.isArray(document)) return document;
  const { rows, ...others } = requireEntry(document);
  if (Array.isArray(rows)) return rows;
  const [longest] = Object.values(others)
    .filter(Array.isArray)
    .sort((one, other) => other.length - one.length);
  return longest ?? [document];
}

const MEDIA_TYPE: Readonly<Record<DatasetFormat, string>> = {
  json: "application/json",
  csv: "text/csv",
  ndjson: "application/x-ndjson",
};

/** Requests the dataset of a job. The body arrives while it is read. */
export async function openDataset(service: Service, id: string, format: DatasetFormat) {
  const { client, operations } = service;
  const input = {
    params: { jobId: id },
    accept: MEDIA_TYPE[service.mapping?.["dataset.csv"] ? "csv" : format],
  };
  const response = await explainRefusal(service, id, client.stream(operations.diligence.dataset, input));
  requireReady(response, id, "the dataset");
  requireKnownCharset(response, "the dataset");
  return response;
}

/** @throws ClaimsError `format_not_available` if the service sent another format */
export function requireFormat(contentType: string | undefined, format: DatasetFormat): void {
  const accept = MEDIA_TYPE[format];
  if (contentType?.startsWith(accept)) return;
  throw rejectedError(
    "format_not_available",
    `the service sent ${contentType ?? "no content type"}, not ${accept}`,
    { hint: "leave out the format to see what the service has" },
  );
}
