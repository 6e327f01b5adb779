import type { StreamingResponse } from "../../../../client/http/response.ts";
import { copyText } from "../../../../domain/entries/csv/copy-text.ts";
import { RecordSplitter } from "../../../../domain/entries/csv/record-splitter.ts";
import { EntryFileError } from "../../../../domain/entries/entry-file-error.ts";
import { splitLines } from "../../../../domain/text.ts";
import { checkLength, type ReceivedRow, unreadableDatasetError } from "./entries.ts";

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

export interface CsvRows {
  /** With its line end, except for the line feed. */
  readonly header: string;
  readonly rows: AsyncIterable<ReceivedRow>;
}

export async function readCsvRows({ body, form }: StreamingResponse): Promise<CsvRows> {
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
