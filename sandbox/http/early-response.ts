import type { IncomingMessage } from "node:http";
import { clearTimeout, setTimeout } from "node:timers";
import type { RouteContext } from "./request-state.ts";

/** Node itself reads a remainder of this size before it reuses the connection. */
const MAX_NODE_DRAIN_BYTES = 64 * 1024;

const MAX_DRAIN_BYTES = 64 * 1024 * 1024;
const DRAIN_TIMEOUT_MS = 5_000;

/** Responds while the body still arrives, then reads some of it: closing would lose the response (RFC 9112 §9.6). */
export async function respondEarly(ctx: RouteContext): Promise<void> {
  const { req, res } = ctx;
  if (!ctx.writable || !isArriving(ctx)) return;
  ctx.respond = false;
  ctx.set("Connection", "close");
  res.write(ctx.body);
  await drain(req);
  res.end();
}

export async function drainRequest(ctx: RouteContext): Promise<void> {
  if (isArriving(ctx)) await drain(ctx.req);
}

function isArriving({ req, request, headers }: RouteContext): boolean {
  if (req.complete || (request.length ?? Number.POSITIVE_INFINITY) <= MAX_NODE_DRAIN_BYTES) return false;
  return request.length !== undefined || headers["transfer-encoding"] !== undefined;
}

function drain(req: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytesLeft = MAX_DRAIN_BYTES;
    const finish = () => {
      clearTimeout(timer);
      req.off("data", count).off("end", finish).off("close", finish);
      resolve();
    };
    const count = (chunk: Uint8Array) => {
      bytesLeft -= chunk.length;
      if (bytesLeft < 0) finish();
    };
    const timer = setTimeout(finish, DRAIN_TIMEOUT_MS);
    req.on("data", count).once("end", finish).once("close", finish).resume();
  });
}
