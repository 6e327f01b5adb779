import type { OutgoingMessage } from "node:http";
import { CapturedBody, MAX_CAPTURED_BYTES } from "../engine/request-log/captured-body.ts";
import type { RequestLog, RequestResult } from "../engine/request-log/request-log.ts";
import type { RouteContext } from "./request-state.ts";

export function recordRequest(ctx: RouteContext, requestId: string, log: RequestLog): void {
  const { req, res } = ctx;
  const exchange = log.begin({
    requestId,
    method: ctx.method,
    target: ctx.originalUrl,
    httpVersion: req.httpVersion,
    headers: req.rawHeaders,
    trace: ctx.state.trace,
  });
  // Before the last byte is sent: the next request of its caller may arrive sooner than the end of this one is noticed.
  const end = res.end;
  let endedAt: number | undefined;
  res.end = ((...args: Parameters<typeof end>) => {
    endedAt ??= log.monotonicNow();
    return end.apply(res, args);
  }) as typeof end;
  res.once("close", () =>
    log.end(exchange, describeResponse(ctx), res.writableFinished ? endedAt : undefined),
  );
}

export function captureRequestBody({ state }: RouteContext): CapturedBody {
  state.requestBody ??= new CapturedBody();
  return state.requestBody;
}

export function* captureResponseBody({ state }: RouteContext, pieces: Iterable<string>): Generator<string> {
  const body = new CapturedBody();
  state.responseBody = body;
  for (const piece of pieces) {
    body.append(piece);
    yield piece;
  }
}

function describeResponse(ctx: RouteContext): RequestResult {
  const { res, state, body } = ctx;
  const { caller, requestBody, trace } = state;
  // The log also shows a response that a fault keeps from its caller.
  const isAnswered = res.headersSent || (trace.fault !== null && isBytesOrText(body));
  return {
    caller,
    requestBody,
    status: isAnswered ? res.statusCode : null,
    headers: isAnswered ? listHeaders(res) : [],
    body: isAnswered && ctx.method !== "HEAD" ? (state.responseBody ?? captureWholeBody(body)) : null,
    isSent: res.writableFinished,
  };
}

const isBytesOrText = (body: unknown): body is string | Uint8Array =>
  typeof body === "string" || ArrayBuffer.isView(body);

/** A text with that many characters may have more bytes; reading the log cuts it. */
function captureWholeBody(body: unknown): CapturedBody | string | null {
  if (!isBytesOrText(body) || body.length === 0) return null;
  if (typeof body === "string" && body.length <= MAX_CAPTURED_BYTES) return body;
  const captured = new CapturedBody();
  captured.append(body);
  return captured;
}

/** Every outgoing message has `getRawHeaderNames`; Node's types declare it on requests only. */
function listHeaders(res: OutgoingMessage & { getRawHeaderNames?(): string[] }): string[] {
  const headers: string[] = [];
  for (const name of res.getRawHeaderNames?.() ?? []) headers.push(name, String(res.getHeader(name)));
  return headers;
}
