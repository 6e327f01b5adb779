// The floor of a sandbox inside a process: koa and sql.js loaded, a database opened, a port listened on. Milliseconds of
// the first time, with the loading, and of each further one.
import { once } from "node:events";

const runs = Number(process.argv[2]);
const taken = [];
for (let run = 0; run <= runs; run += 1) {
  const begun = performance.now();
  const [{ default: Koa }, { default: initSqlJs }] = await Promise.all([
    import("koa"),
    import("sql.js/dist/sql-wasm-inline.js"),
  ]);
  const { Database } = await initSqlJs();
  const database = new Database();
  database.exec("CREATE TABLE thing (id INTEGER PRIMARY KEY)");
  const server = new Koa().listen(0, "127.0.0.1");
  await once(server, "listening");
  taken.push(performance.now() - begun);
  server.close();
  database.close();
}
const [first, ...later] = taken;
console.log(JSON.stringify({ first, later }));
