// sql.js set up as the sandbox sets it up, with its pragmas, its tables and its attached database in memory (the main one
// is twice as slow), and nothing of the sandbox on top.
import { readFileSync } from "node:fs";
import initSqlJs from "sql.js/dist/sql-wasm-inline.js";

export async function bareStore() {
  const { Database } = await initSqlJs();
  const database = new Database();
  const pragmas = textOf("open.ts").match(/PRAGMA \w+ = \w+;/g);
  if (!pragmas) throw new Error("sandbox/store/open.ts shows no pragmas");
  database.exec(pragmas.join(" "));
  database.exec(textOf("schema.sql"));
  return database;
}

/** @param {string} file of the sandbox's store */
const textOf = (file) => readFileSync(new URL(`../../../sandbox/store/${file}`, import.meta.url), "utf8");
