// The floor of keeping entries: sql.js with the sandbox's own pragmas, one prepared statement, one transaction.
import { readFileSync } from "node:fs";
import initSqlJs from "sql.js/dist/sql-wasm-inline.js";

const rows = Number(process.argv[2]);
const openStore = readFileSync(new URL("../../../sandbox/store/open.ts", import.meta.url), "utf8");
const pragmas = openStore.match(/PRAGMA \w+ = \w+;/g) ?? [];
if (pragmas.length === 0) throw new Error("sandbox/store/open.ts shows no pragmas");

const { Database } = await initSqlJs();
const database = new Database();
database.exec(pragmas.join(" "));
database.exec("CREATE TABLE entry (id INTEGER PRIMARY KEY, document BLOB NOT NULL)");
const document = Buffer.alloc(300, "x");

const begun = performance.now();
database.exec("BEGIN");
const insert = database.prepare("INSERT INTO entry (document) VALUES (?)");
for (let row = 0; row < rows; row += 1) insert.run([document]);
insert.free();
database.exec("COMMIT");
console.log(JSON.stringify({ ms: performance.now() - begun }));
