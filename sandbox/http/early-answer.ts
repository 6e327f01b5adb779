import type { IncomingMessage } from "node:http";
import { clearTimeout, setTimeout } from "node:timers";
import type { Context } from "koa";

/** Node itself reads a rest of this size before it uses the connection again. */
const SMALL_REST = 64 * 1024;

const DRAIN_BYTES = 64 * 1024 * 1024;
const DRAIN_MS = 5_000;

/**
 * Answers a request whose body is still arriving. Closing the connection at once would reset it, and the caller would
 * lose the answer (RFC 9112 §9.6): so the whole answer is sent first, and a bounded amount of the rest is read.
 */
export async function answerEarly(ctx: Context): Promise<void> {
  const { req, res } = ctx;
  if (!ctx.writable || !isArriving(ctx)) return;
  ctx.respond = false;
  ctx.set("Connection", "close");
  res.write(ctx.body);
  await drained(req);
  res.end();
}

/** Reads a bounded amount of a body that is still arriving. */
export async function drainEarly(ctx: Context): Promise<void> {
  if (isArriving(ctx)) await drained(ctx.req);
}

function isArriving({ req, request, headers }: Context): boolean {
  if (req.complete || (request.length ?? Number.POSITIVE_INFINITY) <= SMALL_REST) return false;
  return request.length !== undefined || headers["transfer-encoding"] !== undefined;
}

function drained(req: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let rest = DRAIN_BYTES;
    const enough = () => {
      clearTimeout(timer);
      req.off("data", count).off("end", enough).off("close", enough);
      resolve();
    };
    const count = (chunk: Uint8Array) => {
      rest -= chunk.length;
      if (rest < 0) enough();
    };
    const timer = setTimeout(enough, DRAIN_MS);
    req.on("data", count).once("end", enough).once("close", enough).resume();
  });
}
