import type { StreamingResponse } from "../../../../client/http/response.ts";
import { copyText } from "../../../../domain/entries/csv/copy-text.ts";
import { RecordSplitter } from "../../../../domain/entries/csv/record-splitter.ts";
import { type Day, timeToDay } from "../../../../domain/entries/dates.ts";
import { EntryFileError } from "../../../../domain/entries/entry-file-error.ts";
import { unreachableError, usageError } from "../../../../domain/errors.ts";
import { formatThousands } from "../../../../domain/numbers.ts";
import { splitLines } from "../../../../domain/text.ts";
import type { Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { command } from "../../../framework/command.ts";
import type { GlobalOptions, OptionSpecs, OptionValues } from "../../../framework/options.ts";
import { parseDayLimit, parseRowLimit } from "../../../framework/values.ts";
import { chooseFormat } from "../../../output/format.ts";
import { type Output, toListOutput } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { openJob } from "../job.ts";
import { jobArgument, last } from "../options.ts";
import {
  checkLength,
  type DatasetEntry,
  type DatasetFormat,
  ENTRY_COLUMNS,
  type JsonRow,
  listColumnPaths,
  noEntriesError,
  openDataset,
  type ReceivedRow,
  readEntries,
  readJsonRows,
  renderEveryField,
  requireFormat,
  unreadableDatasetError,
} from "./entries.ts";
import { MAX_SORTED_ROWS, type RowSelection, selectRows, sortNeedsLimitError } from "./select-rows.ts";

const selectionOptions = {
  route: { value: "route", repeats: true, help: "print only the rows of this route, as in cape" },
  dueBefore: {
    value: "date",
    parse: parseDayLimit,
    help: "print only the rows whose next deadline is before a date, or at most so many days away, as in 14d",
  },
  sort: { value: "name", help: "sort by this field; rows without a value come last" },
  order: { value: "direction", choices: ["asc", "desc"], help: "direction of --sort", default: "asc" },
  limit: {
    value: "n",
    parse: parseRowLimit,
    help: `print at most so many rows; --sort needs it beyond ${formatThousands(MAX_SORTED_ROWS)} rows`,
  },
} as const satisfies OptionSpecs;

/** Null if the command prints every row in the order of the dataset. */
function toSelection(
  { dueBefore, limit, order, route: routes = [], sort }: OptionValues<typeof selectionOptions>,
  today: Day,
): RowSelection | null {
  if (order !== undefined && sort === undefined)
    throw usageError("missing_option", "--order needs --sort", { hint: "name a field with --sort" });
  if (sort !== undefined && limit !== undefined && limit > MAX_SORTED_ROWS) throw sortNeedsLimitError();
  if (routes.length === 0 && [dueBefore, limit, sort].every((given) => given === undefined)) return null;
  return {
    routes,
    dueBefore: dueBefore?.(today),
    sort: sort === undefined ? undefined : { field: sort, isDescending: order === "desc" },
    limit,
  };
}

export const dataset = command({
  name: "dataset",
  summary: "print the dataset of a job, or a selection of its rows",
  remote: "reads",
  output: "list",
  operation: ({ diligence }) => diligence.dataset,
  arguments: [jobArgument],
  options: { ...last, ...selectionOptions },
  examples: [
    "claims diligence dataset 7d9c… --out dataset.csv",
    "claims diligence dataset 7d9c… --fields entryNumber,route,nextDeadline",
    "claims diligence dataset 7d9c… --route protest --due-before 14d --csv",
    "claims diligence dataset 7d9c… --sort ieepaDutyCents --order desc --limit 20",
  ],
  async run(context, call) {
    const { global, options } = call;
    const selection = toSelection(options, timeToDay(context.now()));
    const format = chooseServedFormat(global);
    const { id, service } = await openJob(context, call);
    if (format !== null && selection) return printSelection(context, service, id, format, selection);
    const response = await openDataset(service, id, format ?? "ndjson");
    const { body, headers } = response;
    if (format !== null) {
      if (chooseFormat(global) !== "text") requireFormat(headers["content-type"], format);
      return { kind: "stream", body: format === "csv" ? body : requireJson(body) };
    }
    const entries = selection
      ? toEntries(selectRows(readJsonRows(response), selection, warn(context)))
      : readEntries(response);
    if (!context.stdout.isTerminal && !global.fields && !global.quiet) {
      const { schema } = service.operations.diligence.dataset.response;
      const known = listColumnPaths(schema.properties.rows.items.properties);
      return { kind: "stream", body: renderEveryField(entries, known) };
    }
    return toListOutput({
      items: entries,
      columns: ENTRY_COLUMNS,
      idOf: ({ entryNumber }) => (typeof entryNumber === "string" ? entryNumber : null),
      emptyMessage: selection ? "no row of the dataset matches" : "the dataset is empty",
    });
  },
});

const warn = (context: Context) => (message: string) => printMessage(context, `warning: ${message}`);

async function* toEntries(rows: AsyncIterable<JsonRow>): AsyncGenerator<DatasetEntry> {
  for await (const { entry } of rows) yield entry;
}

/** Prints the selected rows as the service sent them. */
async function printSelection(
  context: Context,
  service: Service,
  jobId: string,
  format: DatasetFormat,
  selection: RowSelection,
): Promise<Output> {
  const response = await openDataset(service, jobId, format === "csv" ? "csv" : "ndjson");
  const { "content-type": contentType, "contract-version": contractVersion } = response.headers;
  if (format === "csv") {
    requireFormat(contentType, format);
    const { header, rows } = await readCsvRows(response);
    return { kind: "stream", body: renderLines(selectRows(rows, selection, warn(context)), header) };
  }
  const rows = selectRows(readJsonRows(response), selection, warn(context));
  const isDocument = format === "json";
  const lines = isDocument ? renderDocument(rows, { jobId, contractVersion }) : renderLines(rows);
  return { kind: "stream", body: lines };
}

/** The format to request from the service; null where this program formats the entries itself. */
function chooseServedFormat(global: GlobalOptions): DatasetFormat | null {
  const format = chooseFormat(global);
  if (global.fields || format === "ids") return null;
  if (format !== "text") return format;
  return global.out === undefined ? null : "json";
}

/** Other JSON than an object or a list. */
const JSON_SCALAR = /^(null|true|false|".*"|-?\d[\d.eE+-]*)\s*$/;

/** Passes the bytes on. Throws if the first of them cannot begin an object or a list. */
async function* requireJson(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isChecked = false;
  for await (const chunk of body) {
    const start: string = isChecked ? "" : Buffer.from(chunk).toString("latin1").trimStart();
    if (JSON_SCALAR.test(start)) throw noEntriesError(start.trimEnd());
    if (start !== "" && !/^[[{]/.test(start)) {
      throw unreachableError("unexpected_response", "the dataset is not JSON, although its content type is", {
        hint: "check that the base URL is the service itself",
      });
    }
    isChecked ||= start !== "";
    yield chunk;
  }
}

/** Nothing comes before the first row or the end, so that an error leaves stdout empty. */
async function* renderLines(rows: AsyncIterable<ReceivedRow>, header?: string): AsyncGenerator<string> {
  let prefix = header === undefined ? "" : `${header}\n`;
  for await (const { text } of rows) {
    yield `${prefix}${text}\n`;
    prefix = "";
  }
  if (prefix !== "") yield prefix;
}

async function* renderDocument(
  rows: AsyncIterable<ReceivedRow>,
  fields: { readonly jobId: string; readonly contractVersion: string | undefined },
): AsyncGenerator<string> {
  const start = `${JSON.stringify(fields).slice(0, -1)},"rows":[`;
  let separator = `${start}\n`;
  for await (const { text } of rows) {
    yield separator + text;
    separator = ",\n";
  }
  yield separator === ",\n" ? "\n]}\n" : `${start}]}\n`;
}

const NO_UNITS = new Uint8Array();

/** A record of a CSV with a header. Its cells are read when they are asked for. */
class CsvRow implements ReceivedRow {
  text: string;
  readonly #columns: ReadonlyMap<string, number>;
  #cells: readonly string[] | undefined;

  constructor(text: string, columns: ReadonlyMap<string, number>) {
    this.text = text;
    this.#columns = columns;
  }

  has(field: string): boolean {
    return this.#columns.has(field);
  }

  read(field: string): string | null {
    const index = this.#columns.get(field);
    this.#cells ??= splitCells(this.text);
    return index === undefined ? null : (this.#cells[index] ?? null);
  }

  listFields(): readonly string[] {
    return [...this.#columns.keys()];
  }

  compact(): void {
    this.text = copyText(this.text);
    this.#cells = undefined;
  }
}

interface CsvRows {
  /** With its line end, except for the line feed. */
  readonly header: string;
  readonly rows: AsyncIterable<ReceivedRow>;
}

async function readCsvRows({ body, form }: StreamingResponse): Promise<CsvRows> {
  const records = splitRecords(body);
  const first = await records.next();
  const header = first.done ? "" : first.value;
  const columns = new Map(splitCells(header).map((name, index) => [name, index]));
  // An observed service may have other names for the columns of the contract.
  const names = Object.fromEntries([...columns.keys()].map((name) => [name, name]));
  for (const [name, asSent] of Object.entries(Object(form?.readRow(names)))) {
    const index = columns.get(String(asSent));
    if (index !== undefined) columns.set(name, index);
  }
  async function* rows(): AsyncGenerator<ReceivedRow> {
    for await (const record of records) if (record.trim() !== "") yield new CsvRow(record, columns);
  }
  return { header, rows: rows() };
}

/** Splits at line feeds that are not within quotes (RFC 4180 §2), and leaves every other character in place. */
async function* splitRecords(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let open = "";
  for await (const line of splitLines(body, checkLength)) {
    const record = open === "" ? line : `${open}\n${line}`;
    checkLength(record.length);
    open = hasOpenQuote(record) ? record : "";
    if (open === "") yield record;
  }
  if (open !== "") yield open;
}

function hasOpenQuote(text: string): boolean {
  let isOpen = false;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) isOpen = !isOpen;
  return isOpen;
}

function splitCells(record: string): readonly string[] {
  const splitter = new RecordSplitter();
  splitter.start(record, NO_UNITS, true);
  try {
    splitter.readRecord(0, 1);
  } catch (error) {
    if (!(error instanceof EntryFileError)) throw error;
    throw unreadableDatasetError("the dataset is not CSV", error);
  }
  return splitter.record.cellTexts();
}
