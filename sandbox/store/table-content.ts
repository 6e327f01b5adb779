import { createHash } from "node:crypto";
import { AGENDA, SEQUENCES } from "./agenda.ts";
import { SCHEMA, TABLES } from "./schema.ts";
import type { SqlValue, Store } from "./store.ts";

/** All rows of a table, sorted by its key. */
export interface TableContent {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
}

/** A table whose rows are read while the store changes; they can be read once. */
export interface TableStream extends Omit<TableContent, "rows"> {
  readonly rows: Iterable<readonly SqlValue[]>;
}

/** A hash of the schema, in hex. An index changes no content. */
export const computeSchemaVersion = (): string =>
  createHash("sha256")
    .update(SCHEMA.replace(/^CREATE INDEX .*$/gm, ""))
    .digest("hex")
    .slice(0, 16);

type StoredTable = (typeof TABLES)[number];

const describeTable = ({ name, stored, key }: StoredTable) => ({ name, columns: [...stored.keys()], key });

const selectAll = ({ stored, key }: StoredTable, name: string): string =>
  `SELECT ${[...stored.keys()].join(", ")} FROM ${name} ORDER BY ${key.join(", ")}`;

export const readContent = (store: Store): TableContent[] =>
  TABLES.map((table) => ({ ...describeTable(table), rows: store.all(selectAll(table, table.name)) }));

/** The content of one moment, for one reader at a time, who reads it while the store changes. */
export type ContentCopy = ReturnType<typeof createContentCopy>;

/** SQLite's own table cannot be declared, and the tasks are few. */
const READ_AT_ONCE: readonly StoredTable[] = [AGENDA, SEQUENCES];

const isCopied = (table: StoredTable): boolean => !READ_AT_ONCE.includes(table);

/** Making room for so many bytes takes a few milliseconds. */
const ROOM_BYTES = 2 * 1024 * 1024;

const copyName = ({ name }: StoredTable): string => `copy.${name.replace(".", "_")}`;

/** Copying inside SQLite takes a tenth of the time of reading every row. */
export function createContentCopy(store: Store) {
  const copied = TABLES.filter(isCopied);
  let isAttached = false;
  let isInUse = false;

  const attach = () => {
    store.run("ATTACH ':memory:' AS copy");
    store.run("PRAGMA copy.page_size = 16384");
    for (const table of copied) store.run(table.declareCopy(copyName(table)));
    store.run("CREATE TABLE copy.room (bytes BLOB)");
    isAttached = true;
  };

  /** Of all pages, also unused ones. */
  const sizeOf = (schema: string): number =>
    Number(store.get(`PRAGMA ${schema}.page_count`)?.[0]) *
    Number(store.get(`PRAGMA ${schema}.page_size`)?.[0]);

  return {
    /** Lets the copy grow to the size of the store a piece at a time: new pages take most of the time of a first copy. */
    *makeRoom(): Generator<void> {
      if (isInUse) return;
      if (!isAttached) attach();
      yield;
      const size = sizeOf("main") + sizeOf("bulk");
      while (!isInUse && sizeOf("copy") < size) {
        store.withoutCounting(() => store.run("INSERT INTO copy.room VALUES (zeroblob(?))", [ROOM_BYTES]));
        yield;
      }
      store.withoutCounting(() => store.run("DELETE FROM copy.room"));
    },

    /** Returns null while another reader has it. */
    take(): TableStream[] | null {
      if (isInUse) return null;
      if (!isAttached) attach();
      isInUse = true;
      store.withoutCounting(() => {
        for (const table of copied) store.run(`INSERT INTO ${copyName(table)} SELECT * FROM ${table.name}`);
      });
      return TABLES.map((table) => {
        const rows = isCopied(table)
          ? store.iterate(selectAll(table, copyName(table)))
          : store.all(selectAll(table, table.name));
        return { ...describeTable(table), rows };
      });
    },

    release(): void {
      store.withoutCounting(() => {
        for (const table of copied) store.run(`DELETE FROM ${copyName(table)}`);
      });
      isInUse = false;
    },
  };
}

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
