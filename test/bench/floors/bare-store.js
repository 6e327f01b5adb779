// sql.js set up as the sandbox sets it up, with its pragmas, its tables and its attached database in memory (the main one
// is twice as slow), and nothing of the sandbox on top.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import initSqlJs from "sql.js/dist/sql-wasm-inline.js";

const STORE = new URL("../../../sandbox/store/", import.meta.url);

export async function bareStore() {
  const { Database } = await initSqlJs();
  const database = new Database();
  const pragmas = readFileSync(new URL("open.ts", STORE), "utf8").match(/PRAGMA \w+ = \w+;/g);
  if (!pragmas) throw new Error("sandbox/store/open.ts shows no pragmas");
  database.exec(pragmas.join(" "));
  database.exec(await readSchema());
  return database;
}

/** The statements that sandbox/store/schema.ts makes of the tables. */
async function readSchema() {
  const bundle = await rolldown({ input: fileURLToPath(new URL("schema.ts", STORE)), platform: "node" });
  const { output } = await bundle.generate({ format: "esm" });
  const { SCHEMA } = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
  return SCHEMA;
}
