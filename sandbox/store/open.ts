/// <reference path="./sql-wasm-inline.d.ts" />
import type { Database, SqlJsStatic, SqlValue, Statement } from "sql.js";
import { ClaimsError } from "../../src/domain/errors.ts";
import { SCHEMA } from "./schema.ts";

export type { SqlValue } from "sql.js";

let engine: Promise<SqlJsStatic> | undefined;

/** Loads and compiles SQLite once per process, for all sandboxes in it. */
function loadEngine(): Promise<SqlJsStatic> {
  engine ??= import("sql.js/dist/sql-wasm-inline.js").then(({ default: initSqlJs }) => initSqlJs());
  return engine;
}

// The database does not survive the process, so durability would only cost time.
const PRAGMAS = `
  PRAGMA page_size = 16384;
  PRAGMA journal_mode = MEMORY;
  PRAGMA synchronous = OFF;
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA temp_store = MEMORY;
  PRAGMA foreign_keys = ON;
`;

/** A fresh in-memory database with the schema. */
export async function openStore(): Promise<Store> {
  const { Database } = await loadEngine();
  const database = new Database();
  database.exec(PRAGMAS);
  database.exec(SCHEMA);
  return new Store(database);
}

/** Few, because a row may be large. */
const MAX_REMEMBERED = 32;

/** SQLite with cached prepared statements. Only the files of this folder contain SQL. */
export class Store {
  readonly #database: Database;
  readonly #statements = new Map<string, Statement>();
  readonly #remembered = new Map<string, unknown>();
  #isClosed = false;
  #uncounted = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  run(sql: string, parameters: SqlValue[] = []): void {
    this.#remembered.clear();
    this.#prepare(sql).run(parameters);
  }

  /** Reads once until the next write: a client that polls a record asks for the same row again. */
  remember<T>(key: string, read: () => T): T {
    if (this.#remembered.has(key)) return this.#remembered.get(key) as T;
    const value = read();
    if (this.#remembered.size === MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(key, value);
    return value;
  }

  get(sql: string, parameters: SqlValue[] = []): SqlValue[] | undefined {
    const statement = this.#prepare(sql);
    try {
      statement.bind(parameters);
      return statement.step() ? statement.get() : undefined;
    } finally {
      statement.reset();
    }
  }

  all(sql: string, parameters: SqlValue[] = []): SqlValue[][] {
    const statement = this.#prepare(sql);
    const rows: SqlValue[][] = [];
    try {
      statement.bind(parameters);
      while (statement.step()) rows.push(statement.get());
      return rows;
    } finally {
      statement.reset();
    }
  }

  /** Yields row after row; the table may not change meanwhile. */
  *iterate(sql: string): Generator<SqlValue[]> {
    const statement = this.#prepare(sql);
    try {
      statement.bind([]);
      while (statement.step()) yield statement.get();
    } finally {
      statement.reset();
    }
  }

  /** Commits `work` as a whole, or rolls it back when it throws. */
  transaction<T>(work: () => T): T {
    this.run("BEGIN");
    try {
      const result = work();
      this.run("COMMIT");
      return result;
    } catch (error) {
      try {
        this.run("ROLLBACK");
      } catch {
        // After an error such as full memory, SQLite has rolled back by itself; that error is the cause.
      }
      throw error;
    }
  }

  /** Runs `work` without foreign key checks. SQLite ignores this inside a transaction. */
  withoutForeignKeys<T>(work: () => T): T {
    this.run("PRAGMA foreign_keys = OFF");
    try {
      return work();
    } finally {
      this.run("PRAGMA foreign_keys = ON");
    }
  }

  /** Rows that were written since the start. */
  countChanges(): number {
    return Number(this.get("SELECT total_changes()")?.[0]) - this.#uncounted;
  }

  withoutCounting(work: () => void): void {
    const before = this.countChanges();
    try {
      work();
    } finally {
      this.#uncounted += this.countChanges() - before;
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#remembered.clear();
    this.#database.close();
  }

  #prepare(sql: string): Statement {
    // sql.js reports a closed database as "out of memory", or throws undefined.
    if (this.#isClosed) throw sandboxClosedError();
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

export const sandboxClosedError = (): ClaimsError =>
  new ClaimsError("rejected", "sandbox_closed", "the sandbox is closed", { hint: "start another one" });
