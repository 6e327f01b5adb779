// The floor of deliveries with the usual packages: undici, an HMAC, and sql.js with an insert and an indexed update for each,
// those of one turn of the event loop in one transaction. It has the concurrency of the sandbox, and no retries.
import { createHmac } from "node:crypto";
import initSqlJs from "sql.js/dist/sql-wasm-inline.js";
import { Agent } from "undici";

const [, , url = "", count = "0", concurrency = "1"] = process.argv;
const { origin, pathname } = new URL(url);
const agent = new Agent({ pipelining: 1 });
const body = Buffer.alloc(1024, "x");
const { Database } = await initSqlJs();
const database = new Database();
database.run("CREATE TABLE delivery (id INTEGER PRIMARY KEY, status TEXT)");
database.run("CREATE INDEX by_status ON delivery (status)");
database.run("CREATE TABLE attempt (delivery INTEGER PRIMARY KEY, headers TEXT, status INTEGER)");
const insert = database.prepare("INSERT INTO attempt VALUES (?, ?, ?)");
const update = database.prepare("UPDATE delivery SET status = ? WHERE id = ?");

/** @typedef {{ id: number, headers: string, status: number, resolve: () => void }} Attempt */

let settled = /** @type {Attempt[]} */ ([]);

/** @param {Omit<Attempt, "resolve">} attempt @returns {Promise<void>} */
const record = (attempt) =>
  new Promise((resolve) => {
    if (settled.length === 0) setImmediate(commit);
    settled.push({ ...attempt, resolve });
  });

function commit() {
  const attempts = settled;
  settled = [];
  database.run("BEGIN");
  for (const { id, headers, status } of attempts) {
    insert.run([id, headers, status]);
    update.run(["delivered", id]);
  }
  database.run("COMMIT");
  for (const { resolve } of attempts) resolve();
}

/** @param {number} id */
async function deliver(id) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const hmac = createHmac("sha256", "whsec_bench").update(`${timestamp}.`).update(body);
  const headers = {
    "Content-Type": "application/json",
    "User-Agent": "bench",
    "X-Service-Event": "bench.delivery",
    "X-Service-Timestamp": timestamp,
    "X-Service-Signature": hmac.digest("hex"),
  };
  const response = await agent.request({ origin, path: pathname, method: "POST", headers, body });
  await response.body.dump();
  await record({ id, headers: JSON.stringify(headers), status: response.statusCode });
}

let lastId = 0;

/** @param {number} total */
async function deliverAll(total) {
  const [first, last] = [lastId + 1, lastId + total];
  lastId = last;
  database.run("BEGIN");
  for (let id = first; id <= last; id += 1) database.run("INSERT INTO delivery VALUES (?, 'queued')", [id]);
  database.run("COMMIT");
  const before = process.cpuUsage();
  let next = first;
  const worker = async () => {
    while (next <= last) {
      next += 1;
      await deliver(next - 1);
    }
  };
  await Promise.all(Array.from({ length: Number(concurrency) }, worker));
  const { user, system } = process.cpuUsage(before);
  return { perProcessorSecond: total / ((user + system) / 1e6) };
}

await deliverAll(Math.min(Number(count), 5_000));
console.log(JSON.stringify(await deliverAll(Number(count))));
await agent.close();
