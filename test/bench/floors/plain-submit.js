// The floor of a submission with the usual packages: koa, busboy into memory, papaparse, and an insert for each row in one
// transaction. It checks nothing, and has no report.
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { Dicer } from "@fastify/busboy";
import Koa from "koa";
import papaparse from "papaparse";
import initSqlJs from "sql.js/dist/sql-wasm-inline.js";
import { listenAndPrint } from "./listen.js";

const { Database } = await initSqlJs();
const database = new Database();
database.run("CREATE TABLE entry (id INTEGER PRIMARY KEY, document TEXT)");
const insert = database.prepare("INSERT INTO entry (document) VALUES (?)");

/** @param {import("node:http").IncomingMessage} req @returns {Promise<string>} the largest part */
async function readFilePart(req) {
  const [, boundary = ""] = /boundary=(.+)$/.exec(req.headers["content-type"] ?? "") ?? [];
  const parts = /** @type {Promise<string>[]} */ ([]);
  const parser = new Dicer({ boundary });
  parser.on("part", (part) => parts.push(readText(part)));
  await new Promise((resolve, reject) => {
    parser.on("finish", () => resolve(null));
    parser.on("error", reject);
    req.pipe(parser);
  });
  const texts = await Promise.all(parts);
  return texts.reduce((largest, text) => (text.length > largest.length ? text : largest), "");
}

/** @param {Readable} part */
async function readText(part) {
  const chunks = [];
  for await (const chunk of part) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const app = new Koa();
app.use(async (ctx) => {
  const { data } = papaparse.parse(await readFilePart(ctx.req), { header: true });
  database.run("BEGIN");
  for (const row of data) insert.run([JSON.stringify(row)]);
  database.run("COMMIT");
  ctx.status = 202;
  ctx.body = { jobId: "1" };
});

listenAndPrint(createServer(app.callback()));
