import { Readable } from "node:stream";
import type { Operation } from "../../../src/contract/operation.ts";
import type { Engine } from "../../engine/engine.ts";
import type { ResponseGrease } from "../../engine/grease/response-grease.ts";
import type { HandlerInput, HandlerResult } from "../../handlers/handler.ts";
import type { FinishedResponse } from "../../store/stored-responses.ts";
import { JSON_TYPE } from "../../wire/content-types.ts";
import { streamList } from "../list-stream.ts";
import { captureResponseBody } from "../request-recorder.ts";
import type { RequestContext, RequestState, Step } from "../request-state.ts";

/** The input of any handler: its operation's row decides what the fields hold. */
interface UntypedInput
  extends Omit<HandlerInput, "params" | "query" | "caller" | "body">,
    Pick<RequestState, "params" | "query" | "caller"> {
  readonly body: RequestState["body"]["content"];
}

export type UntypedHandler = (input: UntypedInput, engine: Engine) => HandlerResult | Promise<HandlerResult>;

/** Calls the handler and sends what it returns. */
export function handle(
  operation: Operation,
  handler: UntypedHandler,
  engine: Engine,
  grease: ResponseGrease | null,
  legacy: boolean,
): Step {
  return async (ctx) => {
    const { state } = ctx;
    const { params, query, caller, body } = state;
    const header = (name: string) => ctx.get(name);
    const accepts = (types: readonly string[]) => ctx.accepts([...types]) || null;
    const input = { params, query, caller, body: body.content, legacy, header, accepts };
    const result = await handler(input, engine);
    state.trace.events.push(...(result.events ?? []));
    if ("list" in result) {
      const { headers, pieces } = streamList(operation, result, grease);
      return sendStream(ctx, operation, { headers, type: result.list.type, stream: pieces });
    }
    if ("stream" in result) return sendStream(ctx, operation, result);
    const response = render(operation, result, grease);
    sendResponse(ctx, response);
    if (state.idempotency === null) return;
    const isSecret = "repeated" in result;
    state.replay = isSecret ? render(operation, { ...result, json: result.repeated }, grease) : response;
  };
}

type DocumentResult = Pick<HandlerResult, "headers"> &
  ({ readonly json: unknown } | { readonly text: string });

function render(
  operation: Operation,
  result: DocumentResult,
  grease: ResponseGrease | null,
): FinishedResponse {
  const { headers = {} } = result;
  const body = "text" in result ? result.text : JSON.stringify(result.json);
  const response = { status: operation.response.status, headers, body };
  return grease?.varyResponse(operation, response) ?? response;
}

export function sendResponse(ctx: RequestContext, { status, headers, body }: FinishedResponse): void {
  ctx.status = status;
  ctx.set("Content-Type", JSON_TYPE);
  ctx.set(headers);
  ctx.body = body;
}

/** Sends a body piece by piece: the next one is made when the last one has gone. */
function sendStream(
  ctx: RequestContext,
  { response: { status } }: Operation,
  { headers, type, stream }: Pick<HandlerResult, "headers"> & { type: string; stream: Iterable<string> },
): void {
  ctx.status = status;
  ctx.set({ ...headers, "Content-Type": `${type}; charset=utf-8` });
  ctx.body = Readable.from(captureResponseBody(ctx, stream), { objectMode: false });
}
