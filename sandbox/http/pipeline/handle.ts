import { Readable } from "node:stream";
import type { TObject, TSchema } from "typebox";
import { GREASE_HEADER } from "../../../src/contract/grease.ts";
import type { Operation } from "../../../src/contract/operations/operation.ts";
import type { Engine } from "../../engine/engine.ts";
import type { ResponseEncoder } from "../../engine/service/response-encoder.ts";
import type { HandlerInput, HandlerResult, StreamedList } from "../../handlers/handler.ts";
import type { FinishedResponse } from "../../store/stored-responses.ts";
import { JSON_TYPE } from "../../wire/content-types.ts";
import { captureResponseBody } from "../request-recorder.ts";
import type { RequestState, RouteContext, Step } from "../request-state.ts";

interface UntypedInput
  extends Omit<HandlerInput, "params" | "query" | "caller" | "body">,
    Pick<RequestState, "params" | "query" | "caller"> {
  readonly body: RequestState["body"]["content"];
}

export type UntypedHandler = (input: UntypedInput, engine: Engine) => HandlerResult | Promise<HandlerResult>;

export function handle(operation: Operation, handler: UntypedHandler, engine: Engine, legacy: boolean): Step {
  const encoder = engine.service.responseEncoder;
  return async (ctx) => {
    const { state } = ctx;
    const { params, query, caller, body } = state;
    const header = (name: string) => ctx.get(name);
    const accepts = (types: readonly string[]) => {
      ctx.vary("Accept");
      const accepted = ctx.accepts(types.map(withCharset));
      return types.find((type) => withCharset(type) === accepted) ?? null;
    };
    const input = { params, query, caller, body: body.content, legacy, header, accepts };
    const result = await handler(input, engine);
    state.trace.events.push(...(result.events ?? []));
    if ("list" in result) return sendStream(ctx, streamList(operation, result, encoder));
    if ("stream" in result) return sendStream(ctx, { status: operation.response.status, ...result });
    const url = `${ctx.origin}${ctx.path}${ctx.search}`;
    const response = render(operation, result, encoder, url);
    sendResponse(ctx, response);
    if (state.idempotency === null) return;
    const isSecret = "repeated" in result;
    state.replay = isSecret
      ? render(operation, { ...result, json: result.repeated }, encoder, url)
      : response;
  };
}

function render(
  operation: Operation,
  result: Pick<HandlerResult, "headers" | "window"> &
    ({ readonly json: unknown } | { readonly text: string }),
  encoder: ResponseEncoder | null,
  url: string,
): FinishedResponse {
  const { headers = {}, window } = result;
  const body = "text" in result ? result.text : JSON.stringify(result.json);
  const response = { status: operation.response.status, headers, body };
  return encoder ? encoder.encodeResponse(operation, response, { url, window }) : response;
}

export function sendResponse(ctx: RouteContext, { status, headers, body }: FinishedResponse): void {
  ctx.status = status;
  ctx.set("Content-Type", JSON_TYPE);
  ctx.set(headers);
  // With its path: Java's URI.resolve drops the last segment before a query alone (RFC 2396, before RFC 3986 §5.2.2).
  if (headers.Link !== undefined) ctx.set("Link", headers.Link.replace("<?", `<${ctx.path}?`));
  ctx.body = body;
}

/** As a Content-Type of the sandbox has it: an Accept with this parameter matches too (RFC 9110 §12.5.1). */
const withCharset = (type: string): string => `${type}; charset=utf-8`;

interface StreamResult extends Pick<HandlerResult, "headers"> {
  readonly status: number;
  readonly type: string;
  readonly stream: Iterable<string>;
}

function sendStream(ctx: RouteContext, { status, headers, type, stream }: StreamResult): void {
  ctx.status = status;
  ctx.set({ "Content-Type": withCharset(type), ...headers });
  ctx.body = Readable.from(captureResponseBody(ctx, stream), { objectMode: false });
}

/** Occurs nowhere else in a document. A list, so that a mapper which changes items leaves it. */
const LIST_PLACEHOLDER = ["\u0000list"];

function streamList(
  operation: Operation,
  { list, headers = {} }: HandlerResult & { readonly list: StreamedList },
  encoder: ResponseEncoder | null,
): StreamResult {
  const { head, name, type } = list;
  const { status } = operation.response;
  const pages = encodePages(operation, list, encoder);
  if (type.includes("ndjson")) {
    const varied = encoder?.itemVariants ?? [];
    const allHeaders = varied.length > 0 ? { ...headers, [GREASE_HEADER]: varied.join(", ") } : headers;
    return { status, type, headers: allHeaders, stream: ndjsonLines(pages) };
  }
  const body = JSON.stringify({ ...head, [name]: LIST_PLACEHOLDER });
  const opening = { status, headers, body };
  const response = encoder?.encodeResponse(operation, opening, { url: "" }) ?? opening;
  return {
    status: response.status,
    type,
    headers: response.headers,
    stream: jsonDocument(response.body, pages),
  };
}

function* encodePages(operation: Operation, { name, pages }: StreamedList, encoder: ResponseEncoder | null) {
  const { properties } = operation.response.schema as TObject;
  const { items = {} } = properties[name] as { readonly items?: TSchema };
  for (const page of pages) yield encoder?.encodeItems(page, items) ?? page;
}

function* ndjsonLines(pages: Iterable<readonly object[]>): Generator<string> {
  for (const page of pages) yield page.map((item) => `${JSON.stringify(item)}\n`).join("");
}

/** @param document JSON with {@link LIST_PLACEHOLDER} in place of the list; without it, the service does not have the list */
function* jsonDocument(document: string, pages: Iterable<readonly object[]>): Generator<string> {
  const [head = "", tail] = document.split(JSON.stringify(LIST_PLACEHOLDER));
  if (tail === undefined) {
    yield head;
    return;
  }
  let lead = `${head}[`;
  for (const page of pages) {
    yield lead + JSON.stringify(page).slice(1, -1);
    lead = ",";
  }
  yield lead === "," ? `]${tail}` : `${lead}]${tail}`;
}
