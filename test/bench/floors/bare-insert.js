// The floor of keeping entries: one prepared statement, one transaction.
import { bareStore } from "./bare-store.js";

const rows = Number(process.argv[2]);
const database = await bareStore();
database.exec("CREATE TABLE bulk.entry (id INTEGER PRIMARY KEY, document BLOB NOT NULL)");
const document = Buffer.alloc(300, "x");

const begun = performance.now();
database.exec("BEGIN");
const insert = database.prepare("INSERT INTO bulk.entry (document) VALUES (?)");
for (let row = 0; row < rows; row += 1) insert.run([document]);
insert.free();
database.exec("COMMIT");
console.log(JSON.stringify({ ms: performance.now() - begun }));
