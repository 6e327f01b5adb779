// The floor of reading one object with the usual packages: koa, @koa/router, koa-body and sql.js. It only checks a key.
// Its arguments after the port are that key, the id of the job, and the job.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import Router from "@koa/router";
import Koa from "koa";
import initSqlJs from "sql.js/dist/sql-wasm-inline.js";
import { listenAndPrint } from "./listen.js";

// Its types would need those of formidable.
const { koaBody } = createRequire(import.meta.url)("koa-body");
const { Database } = await initSqlJs();
const database = new Database();
database.run(
  "CREATE TABLE key (value TEXT PRIMARY KEY); CREATE TABLE job (id TEXT PRIMARY KEY, document TEXT)",
);
const [, , , key = "", id = "", job = ""] = process.argv;
database.run("INSERT INTO key VALUES (?)", [key]);
database.run("INSERT INTO job VALUES (?, ?)", [id, job]);
const findKey = database.prepare("SELECT 1 FROM key WHERE value = ?");
const findJob = database.prepare("SELECT document FROM job WHERE id = ?");

const router = new Router();
router.get("/v1/diligence/status/:jobId", (ctx) => {
  const [document] = findJob.get([ctx.params.jobId ?? null]);
  ctx.body = JSON.parse(String(document));
});
const app = new Koa();
app.use(koaBody());
app.use((ctx, next) => {
  const isKnown = findKey.get([ctx.get("Authorization")]).length > 0;
  return isKnown ? next() : ctx.throw(401);
});
app.use(router.routes());

listenAndPrint(createServer(app.callback()));
