// Opens sql.js as the sandbox does: with its pragmas, its tables and its attached in-memory database (the main one is twice
// as slow).
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import initSqlJs from "sql.js/dist/sql-wasm-inline.js";

const STORE = new URL("../../../sandbox/store/", import.meta.url);

export async function openBareStore() {
  const { Database } = await initSqlJs();
  const database = new Database();
  const pragmas = readFileSync(new URL("open.ts", STORE), "utf8").match(/PRAGMA \w+ = \w+;/g);
  if (!pragmas) throw new Error("sandbox/store/open.ts has no pragmas");
  database.exec(pragmas.join(" "));
  database.exec(await readSchema());
  return database;
}

/** The SQL statements of sandbox/store/schema.ts. */
async function readSchema() {
  const bundle = await rolldown({ input: fileURLToPath(new URL("schema.ts", STORE)), platform: "node" });
  const { output } = await bundle.generate({ format: "esm" });
  const { SCHEMA } = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
  return SCHEMA;
}
