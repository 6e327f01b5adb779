import { Buffer } from "node:buffer";
import type { ServerResponse } from "node:http";
import type { Context } from "koa";
import { CapturedBody, MAX_CAPTURED_BYTES } from "../engine/request-log/captured-body.ts";
import type { RequestLog, RequestResult } from "../engine/request-log/request-log.ts";
import type { Caller } from "../store/credentials.ts";
import { getTrace } from "./request-trace.ts";

/** What the layers behind a request leave for the journal, beside its trace. */
interface CapturedExchange {
  /** The body of the request, as far as it was read. */
  requestBody?: CapturedBody;
  /** The body of an answer that is sent piece by piece. */
  responseBody?: CapturedBody;
  caller?: Caller;
}

/** Has the journal take down a request, and its answer when that has ended. */
export function recordRequest(ctx: Context, requestId: string, journal: RequestLog): void {
  const { req, res } = ctx;
  const exchange = journal.begin({
    requestId,
    method: ctx.method,
    target: ctx.originalUrl,
    httpVersion: req.httpVersion,
    headers: req.rawHeaders,
    notes: getTrace(ctx),
    port: req.socket.remotePort,
  });
  if (exchange) res.once("close", () => journal.end(exchange, describeResponse(ctx)));
}

/** Where the body of a request is to be told as it is read. */
export function requestBodyCapture(ctx: Context): CapturedBody {
  const state = ctx.state as CapturedExchange;
  state.requestBody ??= new CapturedBody();
  return state.requestBody;
}

export const setCaller = (ctx: Context, caller: Caller): Caller => {
  (ctx.state as CapturedExchange).caller = caller;
  return caller;
};

/** The pieces of an answer, told as they are sent. */
export function* captureResponseBody(ctx: Context, pieces: Iterable<string>): Generator<string> {
  const said = new CapturedBody();
  (ctx.state as CapturedExchange).responseBody = said;
  for (const piece of pieces) {
    said.append(piece);
    yield piece;
  }
}

function describeResponse(ctx: Context): RequestResult {
  const { res } = ctx;
  const {
    requestBody: heard = null,
    responseBody: said = null,
    caller = null,
  } = ctx.state as CapturedExchange;
  // What a fault has kept from its caller is told nevertheless.
  const isAnswered = res.headersSent || (getTrace(ctx).fault !== null && isBytesOrText(ctx.body));
  return {
    caller,
    requestBody: heard,
    status: isAnswered ? res.statusCode : null,
    headers: isAnswered ? listHeaders(res) : [],
    body: isAnswered && ctx.method !== "HEAD" ? (said ?? captureWholeBody(ctx.body)) : null,
    isSent: res.writableFinished,
  };
}

const isBytesOrText = (body: unknown): body is string | Uint8Array =>
  typeof body === "string" || ArrayBuffer.isView(body);

/** A text of that many characters may be longer in bytes: it is cut when it is read. */
function captureWholeBody(body: unknown): CapturedBody | string | null {
  if (!isBytesOrText(body) || body.length === 0) return null;
  if (typeof body === "string" && body.length <= MAX_CAPTURED_BYTES) return body;
  const head = new CapturedBody();
  head.append(typeof body === "string" ? body : Buffer.from(body));
  return head;
}

function listHeaders(res: ServerResponse): string[] {
  const flat: string[] = [];
  // Every outgoing message has it; Node's own declarations know it of requests alone.
  const { getRawHeaderNames } = res as ServerResponse & { getRawHeaderNames(): string[] };
  for (const name of getRawHeaderNames.call(res)) flat.push(name, String(res.getHeader(name)));
  return flat;
}
