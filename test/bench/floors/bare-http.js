// The floor of a server: only node:http. GET returns a small JSON object. A body is discarded; the response is 202 with
// the duration of the body.

import { createServer } from "node:http";
import { listenAndPrint } from "./listen.js";

const RESPONSE = JSON.stringify({ status: "ready" });
const createAccepted = (/** @type {object} */ fields) =>
  JSON.stringify({ jobId: "00000000-0000-4000-8000-000000000000", ...fields });

const server = createServer((request, response) => {
  if (request.method === "GET") return send(response, 200, RESPONSE);
  const start = performance.now();
  let bytes = 0;
  request.on("data", (chunk) => {
    bytes += chunk.length;
  });
  request.on("end", () => {
    const ms = performance.now() - start;
    if (bytes > 1_000_000) console.log(JSON.stringify({ bytes, ms }));
    send(response, 202, createAccepted({ bytes, ms }));
  });
});

/**
 * @param {import("node:http").ServerResponse} response
 * @param {number} status
 * @param {string} body
 */
function send(response, status, body) {
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
  });
  response.end(body);
}

listenAndPrint(server);
