// The floor of storing entries: one prepared statement in one transaction.
import initSqlJs from "sql.js/dist/sql-wasm-inline.js";

const rows = Number(process.argv[2]);
const { Database } = await initSqlJs();
const database = new Database();
// As in the sandbox: the main database is twice as slow.
database.exec(
  "ATTACH ':memory:' AS bulk; CREATE TABLE bulk.entry (id INTEGER PRIMARY KEY, document BLOB NOT NULL)",
);
const document = Buffer.alloc(300, "x");

const start = performance.now();
database.exec("BEGIN");
const insert = database.prepare("INSERT INTO bulk.entry (document) VALUES (?)");
for (let row = 0; row < rows; row += 1) insert.run([document]);
insert.free();
database.exec("COMMIT");
console.log(JSON.stringify({ ms: performance.now() - start }));
