import { Buffer } from "node:buffer";
import type { ServerResponse } from "node:http";
import type { Context } from "koa";
import { BodyHead, MOST_OF_A_BODY } from "../engine/journal/body-head.ts";
import type { Departure, Journal } from "../engine/journal/journal.ts";
import type { Caller } from "../store/credentials.ts";
import { traceOf } from "./trace.ts";

/** What the layers behind a request leave for the journal, beside its trace. */
interface Heard {
  /** The body of the request, as far as it was read. */
  heard?: BodyHead;
  /** The body of an answer that is sent piece by piece. */
  said?: BodyHead;
  caller?: Caller;
}

/** Has the journal take down a request, and its answer when that has ended. */
export function record(ctx: Context, requestId: string, journal: Journal): void {
  const { req, res } = ctx;
  const exchange = journal.begin({
    requestId,
    method: ctx.method,
    target: ctx.originalUrl,
    httpVersion: req.httpVersion,
    headers: req.rawHeaders,
    notes: traceOf(ctx),
    port: req.socket.remotePort,
  });
  if (exchange) res.once("close", () => journal.end(exchange, departure(ctx)));
}

/** Where the body of a request is to be told as it is read. */
export function heardOf(ctx: Context): BodyHead {
  const state = ctx.state as Heard;
  state.heard ??= new BodyHead();
  return state.heard;
}

export const noteCaller = (ctx: Context, caller: Caller): Caller => {
  (ctx.state as Heard).caller = caller;
  return caller;
};

/** The pieces of an answer, told as they are sent. */
export function* saying(ctx: Context, pieces: Iterable<string>): Generator<string> {
  const said = new BodyHead();
  (ctx.state as Heard).said = said;
  for (const piece of pieces) {
    said.take(piece);
    yield piece;
  }
}

function departure(ctx: Context): Departure {
  const { res } = ctx;
  const { heard = null, said = null, caller = null } = ctx.state as Heard;
  // What a fault has kept from its caller is told nevertheless.
  const isAnswered = res.headersSent || (traceOf(ctx).fault !== null && hasText(ctx.body));
  return {
    caller,
    requestBody: heard,
    status: isAnswered ? res.statusCode : null,
    headers: isAnswered ? headersOf(res) : [],
    body: isAnswered && ctx.method !== "HEAD" ? (said ?? bodyOf(ctx.body)) : null,
    isSent: res.writableFinished,
  };
}

const hasText = (body: unknown): body is string | Uint8Array =>
  typeof body === "string" || ArrayBuffer.isView(body);

/** A text of that many characters may be longer in bytes: it is cut when it is read. */
function bodyOf(body: unknown): BodyHead | string | null {
  if (!hasText(body) || body.length === 0) return null;
  if (typeof body === "string" && body.length <= MOST_OF_A_BODY) return body;
  const head = new BodyHead();
  head.take(typeof body === "string" ? body : Buffer.from(body));
  return head;
}

function headersOf(res: ServerResponse): string[] {
  const flat: string[] = [];
  // Every outgoing message has it; Node's own declarations know it of requests alone.
  const { getRawHeaderNames } = res as ServerResponse & { getRawHeaderNames(): string[] };
  for (const name of getRawHeaderNames.call(res)) flat.push(name, String(res.getHeader(name)));
  return flat;
}
