// Serves one object with msw, over a port with the server of its own package. Arguments: modules, file of the object, port.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [, , modules = "", file = "", port = ""] = process.argv;
const load = createRequire(`${modules}/`);
const { http, HttpResponse } = load("msw");
const { createServer } = load("@mswjs/http-middleware");

const job = JSON.parse(readFileSync(file, "utf8"));
const handler = http.get("/v1/diligence/status/:jobId", () => HttpResponse.json(job));
createServer(handler).listen(Number(port), "127.0.0.1");
