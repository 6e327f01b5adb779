import { createHash } from "node:crypto";
import { createCellCheck } from "./cell-checks.ts";
import type { SqlValue, Store } from "./open.ts";
import schema from "./schema.sql";

/** All rows of a table, sorted by its key. */
export interface TableContent {
  /** With its database, as in `bulk.delivery`. */
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of the key. */
  readonly key: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
}

/** A hash of the schema, in hex. */
export const computeSchemaVersion = (): string =>
  createHash("sha256").update(schema).digest("hex").slice(0, 16);

export const readContent = (store: Store): TableContent[] =>
  listTables(store).map(({ name, columns, key }) => ({
    name,
    columns,
    key,
    rows: store.all(
      `SELECT ${columns.map(quoteIdentifier).join(", ")} FROM ${name} ORDER BY ${key.map(quoteIdentifier).join(", ")}`,
    ),
  }));

/** Deletes every row. */
export const clearStore = (store: Store): void =>
  store.withoutForeignKeys(() => store.transaction(() => deleteRows(store)));

/**
 * Replaces all rows of the store, or changes nothing and throws.
 *
 * @throws Error for an unknown table or column, and for a row that refers to a missing row
 */
export function replaceContent(store: Store, content: readonly TableContent[]): void {
  store.withoutForeignKeys(() =>
    store.transaction(() => {
      const tables = new Map(listTables(store).map((table) => [table.name, table]));
      for (const table of content) fillTable(store, table, tables.get(table.name));
      const [broken] = store.all("PRAGMA foreign_key_check");
      if (!broken) return;
      throw new Error(`a row of ${String(broken[0])} refers to a missing row of ${String(broken[2])}`);
    }),
  );
}

/** Says why no store can have this content; null if one can. {@link replaceContent} checks what the rows refer to. */
export function findContentError(store: Store, content: readonly TableContent[]): string | null {
  const tables = listTables(store);
  if (content.map(({ name }) => name).join() !== tables.map(({ name }) => name).join())
    return "its tables differ from those of this version";
  for (const [index, { name, columns, rows }] of content.entries()) {
    const expected = tables[index]?.declarations ?? [];
    if (columns.join() !== expected.map((column) => column.name).join())
      return `the columns of ${name} differ from those of this version`;
    for (const [at, { name: column, type, isNullable }] of expected.entries()) {
      const isValid = createCellCheck(name, column, type);
      const invalid = rows.find((row) => !(row[at] === null ? isNullable : isValid(row[at])));
      if (invalid) return `a row of ${name} has an invalid ${column}`;
    }
  }
  return null;
}

/** Skips empty tables: a DELETE copies a page of the table and of each of its indexes for a rollback. */
function deleteRows(store: Store): void {
  const tables = listTables(store);
  const hasRows = store.get(
    `SELECT ${tables.map(({ name }) => `EXISTS (SELECT 1 FROM ${name})`).join(", ")}`,
  );
  tables.forEach(({ name }, index) => {
    if (hasRows?.[index]) store.run(`DELETE FROM ${name}`);
  });
}

/** The names come from a document, so only the store's own names get into a statement. */
function fillTable(store: Store, { name, columns, rows }: TableContent, table: Table | undefined): void {
  if (!table || columns.join() !== table.columns.join())
    throw new Error(`unknown table ${name} with the columns ${columns.join(", ")}`);
  // One table at a time: filling the agenda changed SQLite's table of sequences, which comes after it.
  store.run(`DELETE FROM ${table.name}`);
  const places = columns.map(() => "?").join(", ");
  for (const row of rows) store.run(`INSERT INTO ${table.name} VALUES (${places})`, [...row]);
}

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
  readonly declarations: readonly ColumnDeclaration[];
}

interface ColumnDeclaration {
  readonly name: string;
  /** Empty where the schema declares none. */
  readonly type: string;
  readonly isNullable: boolean;
  /** The place in the key, counted from 1; 0 outside it. */
  readonly keyPlace: number;
}

let knownTables: readonly Table[] | undefined;

/** Every store has the same tables. */
function listTables(store: Store): readonly Table[] {
  knownTables ??= ["main", "bulk"].flatMap((database) =>
    store
      .all(`SELECT name FROM ${database}.sqlite_schema WHERE type = 'table' ORDER BY rowid`)
      .map(([name]) => readTable(store, database, String(name))),
  );
  return knownTables;
}

function readTable(store: Store, database: string, table: string): Table {
  const declarations = store
    .all(`PRAGMA ${database}.table_info(${quoteIdentifier(table)})`)
    .map(([, name, type, notNull, , keyPlace]) => ({
      name: String(name),
      type: String(type),
      isNullable: notNull === 0 && keyPlace === 0,
      keyPlace: Number(keyPlace),
    }));
  const columns = declarations.map(({ name }) => name);
  const key = declarations
    .filter(({ keyPlace }) => keyPlace > 0)
    .sort((one, other) => one.keyPlace - other.keyPlace)
    .map(({ name }) => name);
  // SQLite's own table of sequences has no key.
  return {
    name: `${database}.${table}`,
    columns,
    key: key.length > 0 ? key : columns.slice(0, 1),
    declarations,
  };
}

const quoteIdentifier = (name: string): string => `"${name}"`;
