import { createHash } from "node:crypto";
import { SCHEMA, TABLES } from "./schema.ts";
import type { SqlValue, Store } from "./store.ts";

/** All rows of a table, sorted by its key. */
export interface TableContent {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
}

/** A hash of the schema, in hex. An index changes no content. */
export const computeSchemaVersion = (): string =>
  createHash("sha256")
    .update(SCHEMA.replace(/^CREATE INDEX .*$/gm, ""))
    .digest("hex")
    .slice(0, 16);

export const readContent = (store: Store): TableContent[] =>
  TABLES.map(({ name, stored, key }) => {
    const columns = [...stored.keys()];
    const rows = store.all(`SELECT ${columns.join(", ")} FROM ${name} ORDER BY ${key.join(", ")}`);
    return { name, columns, key, rows };
  });

const COUNT_ROWS = `SELECT ${TABLES.map(({ name }) => `EXISTS (SELECT 1 FROM ${name})`).join(", ")}`;

/** Deletes every row. Skips empty tables: a DELETE copies a page of the table and of each of its indexes for a rollback. */
export const clearStore = (store: Store): void =>
  store.withoutForeignKeys(() =>
    store.transaction(() => {
      const hasRows = store.get(COUNT_ROWS);
      for (const [index, { name }] of TABLES.entries())
        if (hasRows?.[index]) store.run(`DELETE FROM ${name}`);
    }),
  );

/** Replaces all rows, or none. @throws Error for an unknown table or column, and for a row that refers to a missing one */
export function replaceContent(store: Store, content: readonly TableContent[]): void {
  store.withoutForeignKeys(() =>
    store.transaction(() => {
      for (const table of content) fillTable(store, table);
      const [broken] = store.all("PRAGMA foreign_key_check");
      if (!broken) return;
      throw new Error(`a row of ${String(broken[0])} refers to a missing row of ${String(broken[2])}`);
    }),
  );
}

/** The names come from a document, so only the store's own names get into a statement. */
function fillTable(store: Store, { name, columns, rows }: TableContent): void {
  const table = TABLES.find((each) => each.name === name);
  if (!table || columns.join() !== [...table.stored.keys()].join())
    throw new Error(`unknown table ${name} with the columns ${columns.join(", ")}`);
  // One table at a time: filling the agenda changed SQLite's table of sequences, which comes after it.
  store.run(`DELETE FROM ${table.name}`);
  const places = columns.map(() => "?").join(", ");
  for (const row of rows) store.run(`INSERT INTO ${table.name} VALUES (${places})`, [...row]);
}

/** Says why no store can have this content; null if one can. {@link replaceContent} checks what the rows refer to. */
export function findContentError(content: readonly TableContent[]): string | null {
  if (content.map(({ name }) => name).join() !== TABLES.map(({ name }) => name).join())
    return "its tables differ from those of this version";
  for (const [index, { name, columns, rows }] of content.entries()) {
    const expected = [...(TABLES[index]?.stored ?? [])];
    if (columns.join() !== expected.map(([column]) => column).join())
      return `the columns of ${name} differ from those of this version`;
    for (const [at, [column, { isNullable, accepts }]] of expected.entries()) {
      const invalid = rows.find((row) => !(row[at] === null ? isNullable : accepts(row[at])));
      if (invalid) return `a row of ${name} has an invalid ${column}`;
    }
  }
  return null;
}
