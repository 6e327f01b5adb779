import { createHash } from "node:crypto";
import { createCellCheck } from "./cell-checks.ts";
import type { SqlValue, Store } from "./open.ts";
import schema from "./schema.sql";

/** All rows of a table, in the order of its key. */
export interface TableContent {
  /** With its database, as in `bulk.delivery`. */
  readonly name: string;
  readonly columns: readonly string[];
  /** What tells its rows apart: the columns of its key. */
  readonly key: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
}

/** Which schema a content fits; hex. */
export const computeSchemaVersion = (): string =>
  createHash("sha256").update(schema).digest("hex").slice(0, 16);

/** Everything that the store has. */
export const readContent = (store: Store): TableContent[] =>
  listTables(store).map(({ name, columns, key }) => ({
    name,
    columns,
    key,
    rows: store.all(
      `SELECT ${columns.map(quoteIdentifier).join(", ")} FROM ${name} ORDER BY ${key.map(quoteIdentifier).join(", ")}`,
    ),
  }));

/** Removes every row. */
export const clearStore = (store: Store): void =>
  store.withoutForeignKeys(() => store.transaction(() => removeRows(store)));

/**
 * Puts a content in the place of everything that the store has, or leaves it as it is.
 *
 * @throws Error where the content does not fit: a table or a column that is not there, a row that refers to none
 */
export function replaceContent(store: Store, content: readonly TableContent[]): void {
  store.withoutForeignKeys(() =>
    store.transaction(() => {
      const shapes = new Map(listTables(store).map((table) => [table.name, table]));
      for (const table of content) fillTable(store, table, shapes.get(table.name));
      const [broken] = store.all("PRAGMA foreign_key_check");
      if (!broken) return;
      throw new Error(
        `a row of ${String(broken[0])} refers to one of ${String(broken[2])} that is not there`,
      );
    }),
  );
}

/**
 * Why a content is none that the store could have had, found before anything is changed; null where it could. What its
 * rows refer to is looked at when they are there.
 */
export function findContentError(store: Store, content: readonly TableContent[]): string | null {
  const wanted = listTables(store);
  if (content.map(({ name }) => name).join() !== wanted.map(({ name }) => name).join())
    return "its tables are not those of this version";
  for (const [index, { name, columns, rows }] of content.entries()) {
    const shape = wanted[index];
    if (columns.join() !== shape?.columns.join())
      return `the columns of ${name} are not those of this version`;
    for (const [at, column] of columns.entries()) {
      const fits = createCellCheck(name, column, shape.types[at] ?? "");
      const wrong = rows.find((row) => !(row[at] === null ? shape.isNullable[at] : fits(row[at])));
      if (wrong) return `a row of ${name} has a ${column} that no sandbox could have written`;
    }
  }
  return null;
}

/** Emptying a table copies a page of it and of each of its indexes for a rollback, so one without rows is left alone. */
function removeRows(store: Store): void {
  const tables = listTables(store);
  const questions = tables.map(({ name }) => `EXISTS (SELECT 1 FROM ${name})`);
  const answers = store.get(`SELECT ${questions.join(", ")}`) ?? [];
  tables.forEach(({ name }, index) => {
    if (answers[index]) store.run(`DELETE FROM ${name}`);
  });
}

/** The names come from a document: none but those of the store itself gets into a statement. */
function fillTable(store: Store, { name, columns, rows }: TableContent, shape: TableShape | undefined): void {
  if (!shape || columns.join() !== shape.columns.join())
    throw new Error(`there is no table ${name} with the columns ${columns.join(", ")}`);
  // Here and not for all tables at once: while the agenda was filled, SQLite has counted how far its numbers are.
  store.run(`DELETE FROM ${shape.name}`);
  const places = columns.map(() => "?").join(", ");
  for (const row of rows) store.run(`INSERT INTO ${shape.name} VALUES (${places})`, [...row]);
}

interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
  /** As the schema declares them; empty where it does not. */
  readonly types: readonly string[];
  readonly isNullable: readonly boolean[];
  readonly key: readonly string[];
}

let knownShapes: readonly TableShape[] | undefined;

/** Every store has the same tables. */
function listTables(store: Store): readonly TableShape[] {
  knownShapes ??= ["main", "bulk"].flatMap((database) =>
    store
      .all(`SELECT name FROM ${database}.sqlite_schema WHERE type = 'table' ORDER BY rowid`)
      .map(([name]) => readTableShape(store, database, String(name))),
  );
  return knownShapes;
}

function readTableShape(store: Store, database: string, table: string): TableShape {
  const rows = store.all(`PRAGMA ${database}.table_info(${quoteIdentifier(table)})`);
  const types = rows.map((row) => String(row[2]));
  const mayBeNull = rows.map((row) => row[3] === 0 && row[5] === 0);
  const columns = rows.map(([, name]) => String(name));
  const key = rows
    .filter((row) => Number(row[5]) > 0)
    .sort((one, other) => Number(one[5]) - Number(other[5]))
    .map(([, name]) => String(name));
  // SQLite's own table of the sequences has no key.
  return {
    name: `${database}.${table}`,
    columns,
    types,
    isNullable: mayBeNull,
    key: key.length > 0 ? key : columns.slice(0, 1),
  };
}

const quoteIdentifier = (name: string): string => `"${name}"`;
