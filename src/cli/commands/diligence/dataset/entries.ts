import { ClaimsError } from "../../../../domain/errors.ts";
import { isTooDeep } from "../../../../domain/json.ts";
import { readLines } from "../../../../domain/text.ts";
import { formatTabbedLine } from "../../../output/cell-text.ts";
import { formatDollars } from "../../../output/numbers.ts";
import type { Cell, ListColumn } from "../../../output/output.ts";

/** One row of a dataset, of whatever fields the service gives it. */
export type DatasetEntry = Readonly<Record<string, unknown>>;

const field = (
  name: string,
  width: number,
  more: Partial<ListColumn<DatasetEntry>> = {},
): ListColumn<DatasetEntry> => ({
  name,
  width,
  value: (entry) => entry[name],
  ...more,
});

const money = (name: string, title: string, width: number): ListColumn<DatasetEntry> =>
  field(name, width, { title, align: "right", display: (entry) => centsCell(entry[name]) });

const centsCell = (cents: unknown): Cell => (typeof cents === "number" ? formatDollars(cents) : null);

/** What a person sees of an entry. Fixed widths, since a dataset is too long to be measured before it is shown. */
export const ENTRY_COLUMNS: readonly ListColumn<DatasetEntry>[] = [
  field("line", 7, { align: "right" }),
  field("entryNumber", 11, { title: "entry" }),
  field("classification", 32),
  field("route", 13),
  field("nextDeadline", 10, { title: "deadline" }),
  money("ieepaDutyCents", "IEEPA duty", 15),
  field("grade", 5),
  money("interestCents", "interest", 13),
];

/**
 * For a pipe, every field the service sent: those that are known in their order, so that a script can count on it, then
 * what else there is. An entry of nothing but other fields is told as it comes.
 */
export async function* renderEveryField(
  entries: AsyncIterable<DatasetEntry>,
  known: readonly string[],
): AsyncGenerator<string> {
  for await (const entry of entries) {
    const others = Object.keys(entry).filter((name) => !known.includes(name));
    const isStrange = others.length === Object.keys(entry).length;
    yield formatTabbedLine((isStrange ? others : [...known, ...others]).map((name) => entry[name]));
  }
}

/** The entries of a dataset in either JSON form. */
export const readEntries = (
  body: AsyncIterable<Uint8Array>,
  contentType: string | undefined,
): AsyncGenerator<DatasetEntry> => (contentType?.includes("ndjson") ? readNdjson(body) : readDocument(body));

async function* readNdjson(body: AsyncIterable<Uint8Array>): AsyncGenerator<DatasetEntry> {
  for await (const line of readLines(body)) yield parseJson(line) as DatasetEntry;
}

/** A service that has the dataset as one document is read whole and searched for its rows. */
async function* readDocument(body: AsyncIterable<Uint8Array>): AsyncGenerator<DatasetEntry> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  yield* findRows(parseJson(Buffer.concat(chunks).toString("utf8")));
}

function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw unreadableDatasetError("is not JSON", cause);
  }
  if (isTooDeep(value)) throw unreadableDatasetError("nests too deep to be shown");
  return value;
}

const unreadableDatasetError = (why: string, cause?: unknown): ClaimsError =>
  new ClaimsError("unreachable", "unexpected_response", `the dataset ${why}`, {
    hint: "look at what the service sends with --json or --csv",
    cause,
  });

/** The document itself, the sandbox's `rows`, or the longest list there is, whatever else the service puts beside it. */
function findRows(document: unknown): readonly DatasetEntry[] {
  if (Array.isArray(document)) return document as DatasetEntry[];
  const { rows, ...others } = (document ?? {}) as DatasetEntry;
  if (Array.isArray(rows)) return rows as DatasetEntry[];
  const [longest] = Object.values(others)
    .filter(Array.isArray)
    .sort((one, other) => other.length - one.length);
  return longest ?? [document as DatasetEntry];
}
