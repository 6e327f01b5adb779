import type { ClaimsError } from "../../domain/errors.ts";
import type { Chunks } from "../files/atomic-file.ts";
import { formatCellText } from "./cell-text.ts";

export type Cell = string | number | null;

export interface Card {
  readonly kind: "card";
  /** The first cell of each line in a pipe. */
  readonly section: string;
  readonly title?: string;
  readonly tone?: "good" | "bad";
  readonly rows: readonly (readonly [name: string, value: Cell])[];
  /** The fields in a pipe, with their own names and values. Default: the rows. */
  readonly record?: Readonly<Record<string, unknown>>;
}

export interface TableBlock {
  readonly kind: "table";
  /** The first cell of each line in a pipe, if the table stands with cards. */
  readonly section?: string;
  readonly title?: string;
  readonly columns: readonly { readonly name: string; readonly align?: "right" }[];
  readonly rows: readonly (readonly Cell[])[];
  /** The rows in a pipe, with the values of the fields. Default: the rows. */
  readonly values?: readonly (readonly unknown[])[];
  readonly maxRows?: number;
}

export interface Paragraph {
  readonly kind: "paragraph";
  readonly title?: string;
  readonly lines: readonly string[];
  /** A pipe does not get advice, nor text that is a field of a card's record. */
  readonly isAdvice?: true;
}

export type Block = Card | TableBlock | Paragraph;

/** The name is the header of CSV and the path of the field in JSON. Without `value`, it shows the field of that name. */
export type ListColumn<T> = ColumnStyle<T> &
  (
    | { readonly name: keyof T & string; readonly value?: undefined }
    | { readonly name: string; readonly value: (item: T) => unknown }
  );

interface ColumnStyle<T> {
  /** The heading on a terminal. Default: the name. */
  readonly title?: string;
  readonly align?: "right";
  /** Characters. If all columns have a width, rows appear as they arrive. */
  readonly width?: number;
  /** An id for other commands. It is not cut. */
  readonly isId?: true;
  /** A terminal without space for all columns shows the value below the rest of the row, before others. */
  readonly isBelow?: true;
  /** A narrow terminal shows the value below the rest of the row, or wraps it, instead of cutting it. */
  readonly isWhole?: true;
  /** The value on a terminal. Default: the value for programs (plain integers, RFC 3339 times). */
  readonly display?: (item: T) => Cell;
  /** A terminal leaves the column out if no item has a value. */
  readonly isOptional?: true;
  readonly canWrap?: true;
  /** Only output for programs has it. */
  readonly isHidden?: true;
}

export interface RecordOutput {
  readonly kind: "record";
  /** The unchanged bytes of the service, or our own object. */
  readonly json: Uint8Array | object;
  readonly blocks: readonly Block[];
  /** The record in the form of the contract, for `--fields`. Default: the JSON. */
  readonly record?: unknown;
  /** `-q` prints it. */
  readonly id?: string | null;
  /** An error to report after the output, such as a failed job. */
  readonly failure?: ClaimsError | undefined;
}

export interface ListOutput<T = unknown, R = T> {
  readonly kind: "list";
  readonly items: AsyncIterable<T> | Iterable<T>;
  readonly columns: readonly ListColumn<R>[];
  /** `-q` prints it. */
  readonly idOf: (item: T) => string | null;
  /** What the columns show of an item. Default: the item. */
  readonly toRow?: (item: T) => R;
  /** The record of an item for JSON. Default: the row. */
  readonly toRecord?: (item: T) => unknown;
  /** The record as the service sent it, for JSON. Default: the record. */
  readonly toSent?: (item: T) => unknown;
  /** The record as one line of JSON, as the service sent it. */
  readonly toJson?: (item: T) => string;
  /** The document of the service, which `--json` prints instead of a list of items. */
  readonly document?: () => Chunks;
  /** The default format in a pipe. Default: tab-separated rows. */
  readonly pipeFormat?: "ndjson";
  /** For a terminal, if there are no items. */
  readonly emptyMessage: string;
  /** What a terminal shows below the table. */
  readonly details?: () => readonly Block[];
  /** Messages for a terminal after the last item. */
  readonly notes?: () => readonly string[] | Promise<readonly string[]>;
  /** Whether they are printed for a pipe, too. */
  readonly hasNotesForPipes?: boolean;
  readonly failure?: () => ClaimsError | undefined;
}

export interface StreamOutput {
  readonly kind: "stream";
  readonly body: Chunks;
  /** The file of `--out` has mode 0600. */
  readonly isSecret?: boolean;
  /** The body has escape sequences for a terminal, and sanitized text. */
  readonly isForTerminal?: true;
}

export type Output =
  | RecordOutput
  | ListOutput
  | StreamOutput
  | { readonly kind: "nothing"; readonly exitCode?: number };

/** Returns the value of a cell in output for programs. */
export const readCell = <T>({ name, value }: ListColumn<T>, item: T): unknown =>
  value ? value(item) : Object(item)[name];

/** Declares columns that only output for programs has. */
export const hiddenColumns = <const N extends string>(...names: N[]) =>
  names.map((name) => ({ name, isHidden: true as const }));

interface ListSource<T, R> extends Omit<ListOutput<T, R>, "kind" | "columns" | "idOf"> {
  readonly columns: readonly ListColumn<NoInfer<R>>[];
  /** Default: the first column that is an id. */
  readonly idOf?: (item: NoInfer<T>) => string | null;
}

/** Drops the types of the items and rows. */
export function toListOutput<T, R = T>(source: ListSource<T, R>): Output {
  const { columns, toRow = (item: T) => item as unknown as R } = source;
  const idColumn = columns.find(({ isId }) => isId);
  const idOf = (item: T) => String((idColumn && readCell(idColumn, toRow(item))) ?? "");
  return { idOf, ...source, kind: "list" } as unknown as ListOutput;
}

/** @param fields by their labels on a terminal; a pipe gets the record instead, if there is one */
export const toCard = (
  section: string,
  fields: Readonly<Record<string, Cell>>,
  more: Pick<Card, "title" | "record"> = {},
): Card => ({ kind: "card", section, rows: Object.entries(fields), ...more });

interface CardSource extends Pick<Card, "title"> {
  readonly id: string | null;
  /** For programs, as JSON and in a pipe. */
  readonly record: object;
  /** By their labels on a terminal. */
  readonly fields: Readonly<Record<string, Cell>>;
  /** A sentence below the card. */
  readonly advice?: string;
}

/** A record that a terminal shows as one card. */
export function toCardOutput(section: string, source: CardSource): RecordOutput {
  const { id, record, fields, advice, ...title } = source;
  const blocks: Block[] = [toCard(section, fields, { ...title, record: { ...record } })];
  if (advice !== undefined) blocks.push({ kind: "paragraph", lines: [advice], isAdvice: true });
  return { kind: "record", id, json: record, blocks };
}

/** A record that a terminal and a pipe show as one sentence. */
export const toSentenceOutput = (sentence: string, id: string | null, json: object): RecordOutput => ({
  kind: "record",
  id,
  json,
  blocks: [{ kind: "paragraph", lines: [sentence] }],
});

interface TableSource<T> extends Pick<TableBlock, "section" | "title" | "maxRows"> {
  readonly columns: readonly ListColumn<NoInfer<T>>[];
  readonly items: readonly T[];
}

export const toTable = <T>({ columns, items, ...rest }: TableSource<T>): TableBlock => ({
  ...rest,
  kind: "table",
  columns: columns.map(({ name, title = name, align }) => ({ name: title, ...(align && { align }) })),
  rows: items.map((item) => columns.map((column) => readDisplayedCell(column, item))),
  values: items.map((item) => columns.map((column) => readCell(column, item))),
});

function readDisplayedCell<T>(column: ListColumn<T>, item: T): Cell {
  if (column.display) return column.display(item);
  const value = readCell(column, item);
  return typeof value === "number" ? value : formatCellText(value) || null;
}
