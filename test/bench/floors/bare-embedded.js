// The floor of a sandbox in a process: loads koa and sql.js, opens a database and listens on a port. Prints the
// milliseconds of the first run, including the load, and of each further run.
import { once } from "node:events";

const runs = Number(process.argv[2]);
const samples = [];
for (let run = 0; run <= runs; run += 1) {
  const start = performance.now();
  const [{ default: Koa }, { default: initSqlJs }] = await Promise.all([
    import("koa"),
    import("sql.js/dist/sql-wasm-inline.js"),
  ]);
  const { Database } = await initSqlJs();
  const database = new Database();
  database.exec("CREATE TABLE thing (id INTEGER PRIMARY KEY)");
  const server = new Koa().listen(0, "127.0.0.1");
  await once(server, "listening");
  samples.push(performance.now() - start);
  server.close();
  database.close();
}
const [first, ...later] = samples;
console.log(JSON.stringify({ first, later }));
