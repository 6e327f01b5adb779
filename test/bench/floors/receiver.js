// A receiver of deliveries on node:http: reads and counts each body and responds 200. GET returns the count, and the latencies
// of the deliveries that contain their start time. GET /reset also resets them.

import { createServer } from "node:http";
import { listenAndPrint } from "./listen.js";

let count = 0;
let latencies = /** @type {number[]} */ ([]);

const server = createServer((request, response) => {
  const chunks = /** @type {Buffer[]} */ ([]);
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    if (request.method === "POST") {
      count += 1;
      if (request.url?.startsWith("/timed")) latencies.push(measureLatency(Buffer.concat(chunks)));
      return response.writeHead(200, { "Content-Length": 2 }).end("ok");
    }
    const result = JSON.stringify({ count, latencies });
    if (request.url === "/reset") {
      count = 0;
      latencies = [];
    }
    return response.end(result);
  });
});

listenAndPrint(server);

/** @param {Buffer} body */
const measureLatency = (body) =>
  performance.timeOrigin + performance.now() - JSON.parse(String(body)).data.begunAt;
