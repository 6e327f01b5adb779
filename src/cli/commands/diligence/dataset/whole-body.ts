import { findStatedFailure } from "../../../../client/stated-failure.ts";
import { CsvReader } from "../../../../domain/entries/csv/csv-reader.ts";
import { EntryFileError } from "../../../../domain/entries/entry-file-error.ts";
import { type ClaimsError, unreachableError } from "../../../../domain/errors.ts";
import { isRecord, parseJsonText } from "../../../../domain/json.ts";
import { JsonOutline } from "../../../../domain/json-outline.ts";
import { statedFailure } from "../../../connection/json-response.ts";

type Bytes = AsyncIterable<Uint8Array>;

const truncatedError = (place: string): ClaimsError =>
  unreachableError("response_truncated", `the dataset ends inside of ${place}`, {
    hint: "try again",
    retryable: true,
  });

const isBracket = (byte: number | undefined): boolean => byte === 0x5b || byte === 0x7b;

/**
 * Gets the document of a dataset as far as it has arrived, with all lists empty. Returns whether it names its job; throws if it
 * names another.
 */
export type RequireJob = (document: unknown) => boolean;

/**
 * Passes JSON on, and any text that does not begin as JSON. It holds the bytes back until a list begins: what names the job
 * usually stands before the rows. Returns the outline; null for no bytes.
 *
 * @throws ClaimsError if it begins as JSON, and is not one document
 */
export async function* passWholeJson(
  body: Bytes,
  requireJob: RequireJob,
): AsyncGenerator<Uint8Array, JsonOutline | null> {
  const outline = new JsonOutline();
  let first: number | undefined;
  let isEmpty = true;
  let held: Uint8Array[] = [];
  let isStartChecked = false;
  let isNamed = false;
  for await (const bytes of body) {
    isEmpty &&= bytes.length === 0;
    first ??= bytes.find((byte) => byte > 0x20);
    outline.push(bytes);
    held.push(bytes);
    if (!isStartChecked && outline.hasStart) {
      isStartChecked = true;
      isNamed = requireJob(outline.readStart());
    }
    if (!isStartChecked) continue;
    yield* held;
    held = [];
  }
  if (!isNamed) requireJob(outline.readStart());
  yield* held;
  const fault = isBracket(first) ? outline.findFault() : null;
  if (fault === "cut") throw truncatedError("its JSON");
  if (fault !== null)
    throw unreachableError("unexpected_response", `the dataset is not one JSON document: ${FAULTS[fault]}`, {
      hint: "print what the service sends with `claims api GET`; --ndjson asks for a document a line",
    });
  return isEmpty ? null : outline;
}

const FAULTS = { followed: "other bytes follow its end", malformed: "it has errors of syntax" } as const;

export const unreadableDatasetError = (message: string): ClaimsError =>
  unreachableError("unexpected_response", message, {
    hint: "print what the service sends with --json or --csv",
  });

const LINE_FEED = 0x0a;
const MAX_LINE_BYTES = 1 << 20;

/**
 * Passes NDJSON on, a line once the next one begins. The first line may name the job.
 *
 * @throws ClaimsError if the last line is cut (`response_truncated`), or says that the service failed (`stated_failure`)
 */
export async function* passWholeLines(body: Bytes, requireJob: RequireJob): AsyncGenerator<Uint8Array> {
  let first = "";
  let last = Buffer.alloc(0);
  for await (const bytes of body) {
    const all = Buffer.concat([last, bytes]);
    // The line feed at its end is part of a line.
    const start = all.lastIndexOf(LINE_FEED, -2) + 1;
    if (start > 0) {
      if (first === "") {
        first = all.toString("utf8", 0, all.indexOf(LINE_FEED) + 1);
        requireJob(readOutline(first));
      }
      yield all.subarray(0, start);
    }
    last = all.subarray(start);
    // A line that never ends must not fill the memory.
    if (last.length > MAX_LINE_BYTES) throw unreadableDatasetError("the dataset has a record over 1 MiB");
  }
  const text = last.toString("utf8").trim();
  const document = parseJsonText(text);
  if (text !== "" && document === undefined) throw truncatedError("a row");
  if (first === "") requireJob(readOutline(text));
  const failure = isLike(parseJsonText(first), document) ? null : findStatedFailure(document);
  if (failure !== null) throw statedFailure("the dataset", failure);
  yield last;
}

function readOutline(line: string): unknown {
  const outline = new JsonOutline();
  outline.push(Buffer.from(line));
  return outline.read();
}

/** A row may have an error of its own, as the rows before it may. */
const isLike = (row: unknown, other: unknown): boolean =>
  isRecord(row) && isRecord(other) && Object.keys(row).some((name) => Object.hasOwn(other, name));

/**
 * Passes CSV on.
 *
 * @throws ClaimsError `response_truncated` if it ends in an open quote, or without a line end in a row that is shorter than the others
 */
export async function* passWholeCsv(body: Bytes): AsyncGenerator<Uint8Array> {
  /** The cells of the last row, and the fewest of a row before it. */
  let last = 0;
  let fewest = 0;
  const countCells = ({ count }: { readonly count: number }) => {
    fewest = fewest === 0 ? last : Math.min(fewest, last);
    last = count;
  };
  let reader: CsvReader | undefined;
  let isReadable = true;
  for await (const bytes of body) {
    reader ??= new CsvReader(countCells, findDelimiter(bytes));
    const current = reader;
    // What is not RFC 4180 proves nothing.
    isReadable &&= isCsv(() => current.push(bytes));
    yield bytes;
  }
  if (!reader || !isReadable) return;
  const whole = reader;
  if (!isCsv(() => whole.end()) || (last < fewest && !whole.endsWithLineFeed)) throw truncatedError("a row");
}

const DELIMITERS = [",", ";", "\t", "|"];

/** The most frequent one of the heading. */
function findDelimiter(start: Uint8Array): string | undefined {
  const [heading = ""] = Buffer.from(start).toString("latin1").split("\n", 1);
  const count = (delimiter: string) => heading.split(delimiter).length;
  return DELIMITERS.toSorted((one, other) => count(other) - count(one))[0];
}

function isCsv(read: () => void): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof EntryFileError) return false;
    throw error;
  }
}
