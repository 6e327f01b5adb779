import { createInterface } from "node:readline";
import type { StreamedAnswer } from "../../../client/client.ts";
import { dollars } from "../../output/money.ts";
import { printable } from "../../output/printable.ts";

type Row = Readonly<Record<string, unknown>>;

/** The columns a person sees: fixed widths, since the rows are printed as they arrive. */
const COLUMNS = [
  { title: "line", width: 7, right: true, of: (row: Row) => row.line },
  { title: "entry", width: 11, of: (row: Row) => row.entryNumber },
  { title: "classification", width: 32, of: (row: Row) => row.classification },
  { title: "route", width: 13, of: (row: Row) => row.route },
  { title: "grade", width: 5, of: (row: Row) => row.grade },
  { title: "IEEPA duty", width: 17, right: true, of: (row: Row) => money(row.ieepaDutyCents) },
  { title: "interest", width: 14, right: true, of: (row: Row) => money(row.interestCents) },
  { title: "deadline", width: 10, of: (row: Row) => row.nextDeadline },
] as const;

const money = (cents: unknown): unknown => (typeof cents === "number" ? dollars(cents) : cents);

/** A dataset as lines of text: for a person the columns above, for a pipe every field, tab-separated. */
export async function* rowsAsText(answer: StreamedAnswer, forPerson: boolean): AsyncGenerator<string> {
  if (forPerson) yield line(COLUMNS.map(({ title }) => title));
  for await (const row of rowsOf(answer))
    yield forPerson ? line(COLUMNS.map(({ of }) => of(row))) : tabbed(row);
}

/** NDJSON row by row; a service that only has JSON is read whole and searched for its rows. */
async function* rowsOf({ headers, body }: StreamedAnswer): AsyncGenerator<Row> {
  if (headers["content-type"]?.includes("ndjson")) {
    for await (const text of createInterface({ input: body, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (text !== "") yield JSON.parse(text) as Row;
    }
    return;
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk as Uint8Array);
  yield* rowsIn(JSON.parse(Buffer.concat(chunks).toString("utf8")));
}

function rowsIn(document: unknown): Row[] {
  if (Array.isArray(document)) return document as Row[];
  const list = Object.values(document ?? {}).find(Array.isArray);
  return (list as Row[] | undefined) ?? [document as Row];
}

function line(cells: readonly unknown[]): string {
  const padded = COLUMNS.map((column, index) => {
    const text = printable(String(cells[index] ?? "–"));
    return "right" in column ? text.padStart(column.width) : text.padEnd(column.width);
  });
  return `${padded.join("  ").trimEnd()}\n`;
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
