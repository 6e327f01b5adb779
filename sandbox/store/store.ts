import type { Database, SqlValue, Statement } from "sql.js";
import { ClaimsError } from "../../src/domain/errors.ts";

export type { SqlValue } from "sql.js";

/** Few, because a row may be large. */
const MAX_REMEMBERED = 32;

/** SQLite with cached prepared statements. Only the files of this folder contain SQL. */
export class Store {
  readonly #database: Database;
  readonly #statements = new Map<string, Statement>();
  readonly #remembered = new Map<string, unknown>();
  #isClosed = false;

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
    return Number(this.get("SELECT total_changes()")?.[0]);
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
