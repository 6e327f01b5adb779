import type { RequestListener } from "node:http";
import { JSON_TYPE } from "../wire/content-types.ts";

/** What a sandbox answers between listening and being seeded: everything but `health` has to wait. */
export const answerWhileStarting: RequestListener = (req, res) => {
  const alive = req.url === "/_sandbox/health";
  const body = JSON.stringify({ status: alive ? "ok" : "starting" });
  res.writeHead(alive ? 200 : 503, {
    "Content-Type": JSON_TYPE,
    "Content-Length": body.length,
    ...(!alive && { "Retry-After": "1" }),
  });
  res.end(body);
};
