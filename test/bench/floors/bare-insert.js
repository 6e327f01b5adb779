// The floor of keeping entries: sql.js set up as the sandbox sets it up, with its pragmas and its attached database in
// memory (the main one is twice as slow), one prepared statement, one transaction.
import { readFileSync } from "node:fs";
import initSqlJs from "sql.js/dist/sql-wasm-inline.js";

const rows = Number(process.argv[2]);
const setUp = [
  ...statements("open.ts", /PRAGMA \w+ = \w+;/g),
  ...statements("schema.sql", /^(ATTACH|PRAGMA) .*;/gm),
];

const { Database } = await initSqlJs();
const database = new Database();
database.exec(setUp.join(" "));
database.exec("CREATE TABLE bulk.entry (id INTEGER PRIMARY KEY, document BLOB NOT NULL)");
const document = Buffer.alloc(300, "x");

const begun = performance.now();
database.exec("BEGIN");
const insert = database.prepare("INSERT INTO bulk.entry (document) VALUES (?)");
for (let row = 0; row < rows; row += 1) insert.run([document]);
insert.free();
database.exec("COMMIT");
console.log(JSON.stringify({ ms: performance.now() - begun }));

/**
 * @param {string} file of the sandbox's store
 * @param {RegExp} pattern
 */
function statements(file, pattern) {
  const text = readFileSync(new URL(`../../../sandbox/store/${file}`, import.meta.url), "utf8");
  const found = text.match(pattern);
  if (!found) throw new Error(`sandbox/store/${file} shows no ${pattern}`);
  return found;
}
