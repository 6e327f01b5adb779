/// <reference path="./sql-wasm-inline.d.ts" />
import type { SqlJsStatic } from "sql.js";
import { SCHEMA } from "./schema.ts";
import { Store } from "./store.ts";

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
