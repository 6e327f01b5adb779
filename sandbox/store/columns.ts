import { Buffer } from "node:buffer";
import { ENVIRONMENTS } from "../../src/domain/environments.ts";
import { isRecord, parseJsonText } from "../../src/domain/json.ts";
import { MAX_TIME_MS, MIN_TIME_MS } from "../../src/domain/time-range.ts";
import type { SqlValue } from "./store.ts";

export interface Column<T, CanOmit extends boolean = boolean> {
  /** What follows the name of the column in the schema. */
  readonly declaration: string;
  /** Whether a new row may leave it out: SQLite has a value for it. */
  readonly canOmit: CanOmit;
  readonly isNullable: boolean;
  /** Whether a snapshot may have this cell, which is not null. */
  readonly accepts: (cell: unknown) => boolean;
  /** Null where SQLite stores the value unchanged. */
  readonly codec: Codec<T> | null;
  /** The expression that computes a column which is never written. */
  readonly expression?: string;
}

interface Codec<T> {
  read(cell: SqlValue): T;
  write(value: T): SqlValue;
}

const column = <T>(
  type: string,
  accepts: Column<T>["accepts"],
  codec: Codec<T> | null = null,
): Column<T, false> => ({
  declaration: `${type} NOT NULL`,
  canOmit: false,
  isNullable: false,
  accepts,
  codec,
});

const isText = (cell: unknown) => typeof cell === "string";
const isBetween = (least: number, most: number) => (cell: unknown) =>
  typeof cell === "number" && cell >= least && cell <= most;

const MS_PER_DAY = 86_400_000;

export const integer = column<number>("INTEGER", Number.isSafeInteger);
/** Milliseconds since 1970 (UTC), of the sandbox clock. */
export const time = column<number>("INTEGER", isBetween(MIN_TIME_MS, MAX_TIME_MS));
/** Days since 1970. */
export const day = column<number>("INTEGER", isBetween(MIN_TIME_MS / MS_PER_DAY, MAX_TIME_MS / MS_PER_DAY));
export const boolean = column<boolean>("INTEGER", isBetween(0, 1), {
  read: (cell) => cell === 1,
  write: (value) => (value ? 1 : 0),
});
export const blob = column<Uint8Array>("BLOB", ArrayBuffer.isView);
export const text = column<string>("TEXT", isText);
export const oneOf = <const T extends string>(values: readonly T[]) =>
  column<T>("TEXT", (cell) => values.includes(cell as T));

type JsonKind = "array" | "object";

const isJson = (text: string, kind: JsonKind): boolean => {
  const value = parseJsonText(text);
  return kind === "array" ? Array.isArray(value) : isRecord(value);
};

const isJsonBytes = (kind: JsonKind) => (cell: unknown) =>
  ArrayBuffer.isView(cell) && isJson(decodeText(cell as Uint8Array), kind);

export const json = <T>(kind: JsonKind) =>
  column<T>("TEXT", (cell) => typeof cell === "string" && isJson(cell, kind), {
    read: (cell) => JSON.parse(cell as string),
    write: JSON.stringify,
  });

/** For long documents: to bind a string, sql.js loops over its characters. */
export const jsonBytes = <T>(kind: JsonKind) =>
  column<T>("BLOB", isJsonBytes(kind), {
    read: (cell) => JSON.parse(decodeText(cell as Uint8Array)),
    write: (value) => Buffer.from(JSON.stringify(value)),
  });

/** The bytes of a JSON object, which are read as they are. */
export const objectBytes = column<Uint8Array>("BLOB", isJsonBytes("object"));

export const decodeText = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString();

/** The number of a row. It orders the rows as they were added. */
export const seq: Column<number, true> = { ...integer, declaration: "INTEGER PRIMARY KEY", canOmit: true };

export const id = unique(text);

/** The columns of a row that belongs to a partner and environment: other callers do not see it (product.md §5). */
export const owner = { partner: references("partner", integer), environment: oneOf(ENVIRONMENTS) };

export const record = { seq, id, ...owner };

export function nullable<T>({ declaration, accepts, codec }: Column<T, false>): Column<T | null, true> {
  return {
    declaration: declaration.replace(" NOT NULL", ""),
    canOmit: true,
    isNullable: true,
    accepts,
    codec: codec && {
      read: (cell) => (cell === null ? null : codec.read(cell)),
      write: (value) => (value === null ? null : codec.write(value)),
    },
  };
}

/** `target` is a table, or a table and its column, as in `job (id)`. */
export function references<C extends Column<unknown>>(target: string, referring: C): C {
  return { ...referring, declaration: `${referring.declaration} REFERENCES ${target}` };
}

export function unique<C extends Column<unknown>>(distinct: C): C {
  return { ...distinct, declaration: `${distinct.declaration} UNIQUE` };
}

export const withDefault = <T>(value: number | string, given: Column<T, false>): Column<T, true> => ({
  ...given,
  declaration: `${given.declaration} DEFAULT ${typeof value === "string" ? `'${value}'` : value}`,
  canOmit: true,
});

export const expression = <T extends SqlValue>(sql: string): Column<T, true> => ({
  declaration: "",
  canOmit: true,
  isNullable: false,
  accepts: () => true,
  codec: null,
  expression: sql,
});
