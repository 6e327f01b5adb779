import { createHash } from "node:crypto";
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
export const schemaVersion = (): string => createHash("sha256").update(schema).digest("hex").slice(0, 16);

/** Everything that the store has. */
export const contentOf = (store: Store): TableContent[] =>
  tablesOf(store).map(({ name, columns, key }) => ({
    name,
    columns,
    key,
    rows: store.all(
      `SELECT ${columns.map(quoted).join(", ")} FROM ${name} ORDER BY ${key.map(quoted).join(", ")}`,
    ),
  }));

/** Removes every row. */
export const emptyStore = (store: Store): void =>
  store.unchecked(() => store.transaction(() => removeRows(store)));

/**
 * Puts a content in the place of everything that the store has, or leaves it as it is.
 *
 * @throws Error where the content does not fit: a table or a column that is not there, a row that refers to none
 */
export function replaceContent(store: Store, content: readonly TableContent[]): void {
  store.unchecked(() =>
    store.transaction(() => {
      removeRows(store);
      const shapes = new Map(tablesOf(store).map((table) => [table.name, table]));
      for (const table of content) fill(store, table, shapes.get(table.name));
      const [broken] = store.all("PRAGMA foreign_key_check");
      if (!broken) return;
      throw new Error(
        `a row of ${String(broken[0])} refers to one of ${String(broken[2])} that is not there`,
      );
    }),
  );
}

function removeRows(store: Store): void {
  for (const { name } of tablesOf(store)) store.run(`DELETE FROM ${name}`);
}

/** The names come from a document: none but those of the store itself gets into a statement. */
function fill(store: Store, { name, columns, rows }: TableContent, shape: TableShape | undefined): void {
  if (!shape || columns.join() !== shape.columns.join())
    throw new Error(`there is no table ${name} with the columns ${columns.join(", ")}`);
  const places = columns.map(() => "?").join(", ");
  for (const row of rows) store.run(`INSERT INTO ${shape.name} VALUES (${places})`, [...row]);
}

interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

const shapes = new WeakMap<Store, readonly TableShape[]>();

/** They stay as they are as long as the store lives. */
function tablesOf(store: Store): readonly TableShape[] {
  const known = shapes.get(store);
  if (known) return known;
  const found = ["main", "bulk"].flatMap((database) =>
    store
      .all(`SELECT name FROM ${database}.sqlite_schema WHERE type = 'table' ORDER BY rowid`)
      .map(([name]) => shapeOf(store, database, String(name))),
  );
  shapes.set(store, found);
  return found;
}

function shapeOf(store: Store, database: string, table: string): TableShape {
  const rows = store.all(`PRAGMA ${database}.table_info(${quoted(table)})`);
  const columns = rows.map(([, name]) => String(name));
  const key = rows
    .filter((row) => Number(row[5]) > 0)
    .sort((one, other) => Number(one[5]) - Number(other[5]))
    .map(([, name]) => String(name));
  // SQLite's own table of the sequences has no key.
  return { name: `${database}.${table}`, columns, key: key.length > 0 ? key : columns.slice(0, 1) };
}

const quoted = (name: string): string => `"${name}"`;
