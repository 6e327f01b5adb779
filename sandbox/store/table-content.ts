import { createHash } from "node:crypto";
import { SCHEMA, TABLES } from "./schema.ts";
import type { SqlValue, Store } from "./store.ts";

/** All rows of a table, sorted by its key, with its columns in the order of its definition. */
export interface TableContent {
  readonly name: string;
  readonly rows: readonly (readonly SqlValue[])[];
}

/** A hash of the schema, in hex. An index changes no content. */
export const computeSchemaVersion = (): string =>
  createHash("sha256")
    .update(SCHEMA.replace(/^CREATE INDEX .*$/gm, ""))
    .digest("hex")
    .slice(0, 16);

export const readContent = (store: Store): TableContent[] =>
  TABLES.map(({ name, columnNames, key }) => ({
    name,
    rows: store.all(`SELECT ${columnNames.join(", ")} FROM ${name} ORDER BY ${key.join(", ")}`),
  }));

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

/** Replaces all rows, or none: those of a table that the content lacks go too. */
export const replaceContent = (store: Store, content: readonly TableContent[]): void =>
  store.withoutForeignKeys(() =>
    store.transaction(() => {
      for (const { name, columnNames } of TABLES) {
        // One table at a time: filling the agenda changed SQLite's table of sequences, which comes after it.
        store.run(`DELETE FROM ${name}`);
        const places = columnNames.map(() => "?").join(", ");
        for (const row of content.find((table) => table.name === name)?.rows ?? [])
          store.run(`INSERT INTO ${name} VALUES (${places})`, [...row]);
      }
    }),
  );
