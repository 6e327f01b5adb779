import type { RequestListener } from "node:http";
import { JSON_TYPE } from "../wire/content-types.ts";

/** What a sandbox answers between listening and being seeded: everything but `health` has to wait. */
export const respondWhileStarting: RequestListener = (req, res) => {
  const isHealthCheck = req.url === "/_sandbox/health";
  const body = JSON.stringify({ status: isHealthCheck ? "ok" : "starting" });
  res.writeHead(isHealthCheck ? 200 : 503, {
    "Content-Type": JSON_TYPE,
    "Content-Length": body.length,
    ...(!isHealthCheck && { "Retry-After": "1" }),
  });
  res.end(body);
};
