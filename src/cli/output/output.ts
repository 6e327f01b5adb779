import type { ClaimsError } from "../../domain/errors.ts";
import { formatCellText } from "./cell-text.ts";

/** A cell: text, or nothing to show. */
export type Cell = string | number | null;

/** Lines of a name and a value. */
export interface Card {
  readonly kind: "card";
  readonly title?: string;
  readonly rows: readonly (readonly [name: string, value: Cell])[];
}

/** A page of rows; a list of any length is an output of its own. */
export interface Table {
  readonly kind: "table";
  readonly title?: string;
  readonly columns: readonly { readonly name: string; readonly align?: "right" }[];
  readonly rows: readonly (readonly Cell[])[];
  /** How many of the rows a person sees. */
  readonly maxRows?: number;
}

export interface Paragraph {
  readonly kind: "paragraph";
  readonly title?: string;
  readonly lines: readonly string[];
  /** It says what to do next: that is for a person, and no row for a program. */
  readonly isAdvice?: true;
}

export type Block = Card | Table | Paragraph;

/** One column of a list. Its name is the header of CSV. Without `value`, it shows the item's field of that name. */
export type ListColumn<T> = ColumnStyle<T> &
  (
    | { readonly name: keyof T & string; readonly value?: undefined }
    | { readonly name: string; readonly value: (item: T) => unknown }
  );

interface ColumnStyle<T> {
  /** What a person reads above it, where that differs. */
  readonly title?: string;
  readonly align?: "right";
  /** Characters; where every column has its width, rows are shown as they arrive. */
  readonly width?: number;
  /** It is what other commands take: where the terminal is narrow, the other columns are cut or left out first. */
  readonly isId?: true;
  /** An amount or an id that is of no use when cut off: where the terminal is narrow, it is left out as a whole. */
  readonly isWhole?: true;
  /** The value for a person, where that differs from the value for programs (plain integers, RFC 3339 times). */
  readonly display?: (item: T) => Cell;
  /** Text that is broken over several lines where the others are cut off. */
  readonly canWrap?: true;
  /** Only for programs. */
  readonly isHidden?: true;
}

/** Pieces of an answer, as they come. */
export type Chunks = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/** A record. It is data first: `json` is what a program gets, the service's own bytes where the service answered. */
export interface RecordOutput {
  readonly kind: "record";
  readonly json: Uint8Array | object;
  readonly blocks: readonly Block[];
  /** What `-q` prints. */
  readonly id?: string | null;
  /** Told after the answer, and decides the exit code: the answer is there, yet not what was hoped for. */
  readonly failure?: ClaimsError | undefined;
}

/** Any number of items, each printed when it is there, but in the table of a person that has to be measured first. */
export interface ListOutput<T = unknown> {
  readonly kind: "list";
  readonly items: AsyncIterable<T> | Iterable<T>;
  readonly columns: readonly ListColumn<T>[];
  /** What `-q` prints of an item. */
  readonly idOf: (item: T) => string | null;
  /** The record that an item stands for, where it is not the item itself. */
  readonly toRecord?: (item: T) => unknown;
  /** That record as the service sent it: JSON in one line. */
  readonly toJson?: (item: T) => string;
  /** All of them as the service sent them: the document that `--json` prints in place of a list of the items. */
  readonly document?: () => Chunks;
  /** What a pipe gets where no format is asked for, in place of tab-separated rows. */
  readonly pipeFormat?: "ndjson";
  /** Said to a person where there is no item. */
  readonly emptyMessage: string;
  /** Said to a person when the last item is out: what a line of a table has no room for. */
  readonly notes?: () => readonly string[];
  /** Asked when the last item is out. */
  readonly failure?: () => ClaimsError | undefined;
}

/** Bytes in a format of their own. */
export interface StreamOutput {
  readonly kind: "stream";
  readonly body: Chunks;
  /** A file that it is saved to is for the owner's eyes alone. */
  readonly isSecret?: boolean;
  /** It is made for a terminal, with sequences of its own; text from elsewhere in it is `printable`. */
  readonly isForTerminal?: true;
}

/** What a command has to say. */
export type Output =
  | RecordOutput
  | ListOutput
  | StreamOutput
  | { readonly kind: "nothing"; readonly exitCode?: number };

/** What a column shows of an item: to programs, and to a person unless the column says otherwise. */
export const readCell = <T>({ name, value }: ListColumn<T>, item: T): unknown =>
  value ? value(item) : Object(item)[name];

/** A card of fields, in their order. */
export const toCard = (fields: Readonly<Record<string, Cell>>, title?: string): Card => ({
  kind: "card",
  ...(title !== undefined && { title }),
  rows: Object.entries(fields),
});

/** A table of items. A person sees the titles and the displayed values of the columns, and so does a pipe. */
export const toTable = <T>(
  title: string,
  columns: readonly ListColumn<NoInfer<T>>[],
  items: readonly T[],
): Table => ({
  kind: "table",
  title,
  columns: columns.map(({ name, title: heading = name, align }) => ({
    name: heading,
    ...(align && { align }),
  })),
  rows: items.map((item) => columns.map((column) => readDisplayedCell(column, item))),
});

function readDisplayedCell<T>(column: ListColumn<T>, item: T): Cell {
  if (column.display) return column.display(item);
  const value = readCell(column, item);
  return typeof value === "number" ? value : formatCellText(value) || null;
}

/** Only forgets the type of the items. */
export const toListOutput = <T>(output: Omit<ListOutput<T>, "kind">): Output =>
  ({ ...output, kind: "list" }) as unknown as ListOutput;
