// The floor of storing entries: one prepared statement in one transaction.
import { openBareStore } from "./bare-store.js";

const rows = Number(process.argv[2]);
const database = await openBareStore();
database.exec("CREATE TABLE bulk.entry (id INTEGER PRIMARY KEY, document BLOB NOT NULL)");
const document = Buffer.alloc(300, "x");

const start = performance.now();
database.exec("BEGIN");
const insert = database.prepare("INSERT INTO bulk.entry (document) VALUES (?)");
for (let row = 0; row < rows; row += 1) insert.run([document]);
insert.free();
database.exec("COMMIT");
console.log(JSON.stringify({ ms: performance.now() - start }));
