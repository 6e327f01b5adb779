import { ClaimsError } from "../../../domain/errors.ts";
import type { OutputStream } from "../../context.ts";
import { dollars } from "../../output/numbers.ts";
import { printable } from "../../output/printable.ts";

type Row = Readonly<Record<string, unknown>>;

interface Column {
  readonly title: string;
  readonly width: number;
  readonly right?: true;
  readonly of: (row: Row) => unknown;
}

/** What a person sees of an entry. Fixed widths, since the rows are printed as they arrive. */
const COLUMNS: readonly Column[] = [
  { title: "line", width: 7, right: true, of: (row) => row.line },
  { title: "entry", width: 11, of: (row) => row.entryNumber },
  { title: "classification", width: 32, of: (row) => row.classification },
  { title: "route", width: 13, of: (row) => row.route },
  { title: "deadline", width: 10, of: (row) => row.nextDeadline },
  { title: "IEEPA duty", width: 15, right: true, of: (row) => money(row.ieepaDutyCents) },
  { title: "grade", width: 5, of: (row) => row.grade },
  { title: "interest", width: 13, right: true, of: (row) => money(row.interestCents) },
];

const GAP = "  ";

const money = (cents: unknown): unknown => (typeof cents === "number" ? dollars(cents) : cents);

/** A dataset as lines of text: for a person as many columns as fit, for a pipe every field, tab-separated. */
export async function* rowsAsText(
  body: AsyncIterable<Uint8Array>,
  contentType: string | undefined,
  { isTerminal, columns: width }: OutputStream,
): AsyncGenerator<string> {
  const rows = contentType?.includes("ndjson") ? rowsOfLines(body) : rowsOfDocument(body);
  if (!isTerminal) {
    for await (const row of rows) yield tabbed(row);
    return;
  }
  const columns = width === 0 ? COLUMNS : fitting(width);
  yield line(columns, ({ title }) => title);
  for await (const row of rows) yield line(columns, ({ of }) => of(row));
}

function fitting(width: number): readonly Column[] {
  let left = width;
  return COLUMNS.filter((column) => {
    left -= column.width + GAP.length;
    return left + GAP.length >= 0;
  });
}

async function* rowsOfLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<Row> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const text of lines) if (text.trim() !== "") yield parsed(text) as Row;
  }
  if (rest.trim() !== "") yield parsed(rest) as Row;
}

/** A service that has the dataset as one document is read whole and searched for its rows. */
async function* rowsOfDocument(body: AsyncIterable<Uint8Array>): AsyncGenerator<Row> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  yield* rowsIn(parsed(Buffer.concat(chunks).toString("utf8")));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ClaimsError("unreachable", "unexpected_answer", "the dataset is not JSON", {
      hint: "look at what the service sends with --json or --csv",
      cause,
    });
  }
}

function rowsIn(document: unknown): readonly Row[] {
  if (Array.isArray(document)) return document as Row[];
  const list = Object.values(document ?? {}).find(Array.isArray);
  return (list as Row[] | undefined) ?? [document as Row];
}

function line(columns: readonly Column[], of: (column: Column) => unknown): string {
  const cells = columns.map((column) => {
    const text = printable(String(of(column) ?? "–"));
    return column.right ? text.padStart(column.width) : text.padEnd(column.width);
  });
  return `${cells.join(GAP).trimEnd()}\n`;
}

const tabbed = (row: Row): string =>
  `${Object.values(row)
    .map((value) => printable(cellOf(value)))
    .join("\t")}\n`;

/** Lists are joined with `;`; a record, such as the deadlines, stays one cell of JSON. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.join(";");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
