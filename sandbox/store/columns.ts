import { Buffer } from "node:buffer";
import type { Environment } from "../../src/domain/environments.ts";
import type { SqlValue } from "./store.ts";

export interface Column<T, CanOmit extends boolean = boolean> {
  /** What follows the name of the column in the schema. */
  readonly declaration: string;
  /** Whether a new row may leave it out: SQLite has a value for it. */
  readonly canOmit: CanOmit;
  /** Null where SQLite stores the value unchanged. */
  readonly codec: Codec<T> | null;
  /** The expression that computes a column which is never written. */
  readonly expression?: string;
}

interface Codec<T> {
  read(cell: SqlValue): T;
  write(value: T): SqlValue;
}

const column = <T>(type: string, codec: Codec<T> | null = null): Column<T, false> => ({
  declaration: `${type} NOT NULL`,
  canOmit: false,
  codec,
});

export const integer = column<number>("INTEGER");
/** Milliseconds since 1970 (UTC), of the sandbox clock. */
export const time = column<number>("INTEGER");
/** Days since 1970. */
export const day = column<number>("INTEGER");
export const boolean = column<boolean>("INTEGER", {
  read: (cell) => cell === 1,
  write: (value) => (value ? 1 : 0),
});
export const blob = column<Uint8Array>("BLOB");
export const text = column<string>("TEXT");
export const textOf = <T extends string>() => column<T>("TEXT");

export const json = <T>() =>
  column<T>("TEXT", { read: (cell) => JSON.parse(cell as string), write: JSON.stringify });

/** For long documents: to bind a string, sql.js loops over its characters. */
export const jsonBytes = <T>() =>
  column<T>("BLOB", {
    read: (cell) => JSON.parse(decodeText(cell as Uint8Array)),
    write: (value) => Buffer.from(JSON.stringify(value)),
  });

export const decodeText = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString();

/** The number of a row. It orders the rows as they were added. */
export const seq: Column<number, true> = { ...integer, declaration: "INTEGER PRIMARY KEY", canOmit: true };

export const id = unique(text);

/** The columns of a row that belongs to a partner and environment: other callers do not see it (product.md §5). */
export const owner = { partner: references("partner", integer), environment: textOf<Environment>() };

export const record = { seq, id, ...owner };

export function nullable<T>({ declaration, codec }: Column<T, false>): Column<T | null, true> {
  return {
    declaration: declaration.replace(" NOT NULL", ""),
    canOmit: true,
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
  codec: null,
  expression: sql,
});
