import { type ClaimsError, rejectedError, unreachableError } from "../../../../domain/errors.ts";
import { isRecord, isTooDeep, quoteValue } from "../../../../domain/json.ts";
import { formatDollars } from "../../../../domain/numbers.ts";
import { readLines } from "../../../../domain/text.ts";
import { formatTabbedLine } from "../../../output/cell-text.ts";
import type { ListColumn } from "../../../output/output.ts";

/** One row of a dataset, with the fields of any service. */
export type DatasetEntry = Readonly<Record<string, unknown>>;

const money = (name: string, title: string, width: number): ListColumn<DatasetEntry> => ({
  name,
  title,
  width,
  align: "right",
  display: ({ [name]: cents }) => (typeof cents === "number" ? formatDollars(cents) : null),
});

/** The widths are fixed: a dataset is too long to measure before it is shown. */
export const ENTRY_COLUMNS: readonly ListColumn<DatasetEntry>[] = [
  { name: "line", width: 7, align: "right" },
  { name: "entryNumber", width: 11, title: "entry" },
  { name: "classification", width: 32 },
  { name: "route", width: 13 },
  { name: "nextDeadline", width: 10, title: "deadline" },
  money("ieepaDutyCents", "IEEPA duty", 15),
  { name: "grade", width: 5 },
  money("interestCents", "interest", 13),
];

/**
 * Renders every field for a pipe: the known fields in their order, so that a script can rely on it, then the others. An
 * entry without any known field keeps its own order.
 */
export async function* renderEveryField(
  entries: AsyncIterable<DatasetEntry>,
  known: readonly string[],
): AsyncGenerator<string> {
  for await (const entry of entries) {
    const others = Object.keys(entry).filter((name) => !known.includes(name));
    const hasKnown = others.length < Object.keys(entry).length;
    yield formatTabbedLine([...(hasKnown ? known : []), ...others].map((name) => entry[name]));
  }
}

/** Reads the entries from NDJSON, or from one JSON document as a whole. */
export async function* readEntries(
  body: AsyncIterable<Uint8Array>,
  contentType: string | undefined,
): AsyncGenerator<DatasetEntry> {
  if (contentType?.includes("ndjson")) {
    for await (const line of readLines(body)) yield requireEntry(parseJson(line));
    return;
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  yield* findRows(parseJson(Buffer.concat(chunks).toString("utf8"))).map(requireEntry);
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

/** @param found what the service sent in place of an entry, or of all */
export const noEntriesError = (found: string): ClaimsError =>
  rejectedError("no_record", `expected the entries of the dataset as objects (got ${found})`, {
    hint: "print what the service sends with `claims api GET`",
  });

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
