import { Buffer } from "node:buffer";
import { quoteCsvCell } from "../../text.ts";
import { CsvReader } from "../csv/csv-reader.ts";
import type { CsvRecord } from "../csv/csv-record.ts";
import { EncodingCheck } from "../csv/encoding-check.ts";
import { RecordSplitter } from "../csv/record-splitter.ts";
import { EntryFileError } from "../entry-file-error.ts";

type Chunks = AsyncIterable<Uint8Array>;

/** Returns the new heading of each cell of the header record; null for a cell that stays. May throw. */
type ReplaceHeadings = (cells: readonly string[]) => readonly (string | null)[];

const LF = 0x0a;
const BOM = Buffer.from("\uFEFF");
const MAX_HEADER_BYTES = 1 << 20;

/** Replaces headings in the header record; every other byte passes. @throws EntryFileError without one in UTF-8 */
export async function* rewriteHeader(chunks: Chunks, replace: ReplaceHeadings): AsyncGenerator<Uint8Array> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (head === null) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.lastIndexOf(LF) + 1;
    const rewritten = end === 0 ? null : replaceInHead(head.subarray(0, end), replace, false);
    if (rewritten !== null) {
      yield* [...rewritten, head.subarray(end)];
      head = null;
    } else if (head.length > MAX_HEADER_BYTES) {
      throw new EntryFileError("CSV_MALFORMED", 1, "The header record is longer than 1 MiB.");
    }
  }
  if (head !== null && head.length > 0) yield* replaceInHead(head, replace, true) ?? [];
}

/** Returns the pieces of the head with new headings; null if the end of the header record is missing. */
function replaceInHead(head: Buffer, replace: ReplaceHeadings, isFinal: boolean): Uint8Array[] | null {
  // In Latin-1, positions in the text are those of the bytes, and UTF-8 uses no ASCII byte within a character.
  const text = head.toString("latin1");
  const splitter = new RecordSplitter();
  splitter.start(text, head, isFinal);
  const start = head.indexOf(BOM) === 0 ? BOM.length : 0;
  const end = splitter.readRecord(start, 1);
  if (end === -1) return null;
  const encoding = new EncodingCheck();
  encoding.push(head.subarray(0, end));
  encoding.end();
  const cells = splitter.record.cellTexts().map((cell) => Buffer.from(cell, "latin1").toString("utf8"));
  const pieces: Uint8Array[] = [];
  let copied = 0;
  for (const [index, heading] of replace(cells).entries()) {
    if (heading === null) continue;
    const [from, to] = locateCell(splitter.record, index);
    pieces.push(head.subarray(copied, from), Buffer.from(quoteCsvCell(heading)));
    copied = to;
  }
  return [...pieces, head.subarray(copied)];
}

function locateCell({ text, starts, ends }: CsvRecord, index: number): readonly [from: number, to: number] {
  const from = starts[index] ?? 0;
  const to = ends[index] ?? 0;
  // Only the opening quote of the cell itself can stand before its content.
  return text[from - 1] === '"' ? [from - 1, to + 1] : [from, to];
}

/** Rewrites a file as CSV with commas, and replaces headings. @throws EntryFileError if it is no UTF-8, or no such CSV */
export async function* rewriteRecords(
  chunks: Chunks,
  delimiter: string,
  replace: ReplaceHeadings,
): AsyncGenerator<Uint8Array> {
  let text = "";
  let isHeader = true;
  const reader = new CsvReader((record) => {
    const headings = isHeader ? replace(record.cellTexts()) : null;
    isHeader = false;
    text += formatRecord(record, headings);
  }, delimiter);
  const encoding = new EncodingCheck();
  let head: Buffer | null = Buffer.alloc(0);
  const take = (): Buffer[] => {
    const taken = Buffer.from(text);
    text = "";
    if (taken.length === 0 || head === null) return [taken];
    // The reader leaves out the byte order mark.
    const pieces = head.indexOf(BOM) === 0 ? [BOM, taken] : [taken];
    head = null;
    return pieces;
  };
  for await (const chunk of chunks) {
    if (head !== null && head.length < BOM.length)
      head = Buffer.concat([head, chunk.subarray(0, BOM.length)]);
    encoding.push(chunk);
    reader.push(chunk);
    yield* take();
  }
  encoding.end();
  reader.end();
  yield* take();
}

function formatRecord(record: CsvRecord, headings: readonly (string | null)[] | null): string {
  const { count, text } = record;
  const cells = Array.from({ length: count }, (_, index) => {
    const heading = headings?.[index] ?? null;
    if (heading !== null) return quoteCsvCell(heading);
    const [from, to] = locateCell(record, index);
    return text[from] === '"' ? text.slice(from, to) : quoteCsvCell(text.slice(from, to));
  });
  const [, end] = locateCell(record, count - 1);
  const lineEnd = /^\r?\n/.exec(text.slice(end, end + 2))?.[0] ?? "";
  return cells.join(",") + lineEnd;
}
