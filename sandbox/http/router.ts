import { Readable } from "node:stream";
import Router from "@koa/router";
import type { Context } from "koa";
import Type, { type TObject } from "typebox";
import { toAliasOperation } from "../../src/contract/alias-request.ts";
import { aliasMethods, type BrokerAlias, findAliases } from "../../src/contract/aliases.ts";
import { type Operation, takesIdempotencyKey } from "../../src/contract/operation.ts";
import { OPERATIONS } from "../../src/contract/operations.ts";
import type { Engine } from "../engine/engine.ts";
import type { ResponseGrease } from "../engine/grease/response-grease.ts";
import type { Handler, HandlerInput, HandlerResult } from "../handlers/handler.ts";
import { HANDLERS } from "../handlers/index.ts";
import type { Caller } from "../store/credentials.ts";
import { JSON_TYPE } from "../wire/content-types.ts";
import { ProblemError, TokenEndpointError } from "../wire/problem-error.ts";
import { injectFault } from "./faults/inject-fault.ts";
import { streamList } from "./list-stream.ts";
import { forwardToCanonical, setAliasHeaders } from "./pipeline/alias.ts";
import { authenticate } from "./pipeline/authenticate.ts";
import { type ParsedRequestBody, withBody } from "./pipeline/body.ts";
import {
  type FinishedResponse,
  fingerprintRequest,
  Idempotency,
  parseIdempotencyKey,
} from "./pipeline/idempotency.ts";
import { parseQuery as parseQueryString } from "./pipeline/query.ts";
import { limitAddress, limitCaller } from "./pipeline/rate-limit.ts";
import { requireValid } from "./pipeline/validate.ts";
import { captureResponseBody, setCaller } from "./request-recorder.ts";
import { getTrace } from "./request-trace.ts";

/** A route of the contract and what answers there. */
interface Route {
  readonly operation: Operation;
  /** The same row as this route takes requests for it. */
  readonly accepted: Operation;
  readonly handler: Handler;
  /** The path as the contract writes it. */
  readonly template: string;
  readonly legacy: boolean;
  /** The broker alias that the route is, if it is one. */
  readonly alias: BrokerAlias | null;
}

/** What every route is served with. */
interface RouteDependencies {
  readonly engine: Engine;
  readonly idempotency: Idempotency;
  readonly grease: ResponseGrease | null;
}

/** The contract's rows as routes, each on its canonical path, its compatibility path and its aliases. */
export function createRouter(engine: Engine, grease: ResponseGrease | null): Router {
  const router = new Router({ strict: true, sensitive: true });
  const house: RouteDependencies = { engine, idempotency: new Idempotency(engine), grease };
  for (const [noun, verbs] of Object.entries(OPERATIONS)) {
    for (const [verb, operation] of Object.entries(verbs) as [string, Operation][]) {
      const handler = findHandler(noun, verb);
      const add = (
        template: string,
        methods: readonly string[],
        surface: Omit<Route, "operation" | "handler" | "template">,
      ) =>
        router.register(toRouterPath(template), [...methods], (ctx: Context) =>
          serve(ctx, { operation, handler, template, ...surface }, house),
        );
      const { method, path, legacyPath } = operation;
      add(path, [method], { accepted: operation, legacy: false, alias: null });
      if (legacyPath) add(legacyPath, [method], { accepted: operation, legacy: true, alias: null });
      for (const alias of findAliases(operation.id)) {
        const taken = toAliasOperation(operation, alias);
        add(alias.path, aliasMethods(operation), { accepted: taken, legacy: false, alias });
      }
    }
  }
  return router;
}

const toRouterPath = (path: string): string => path.replace(/\{(\w+)\}/g, ":$1");

// HANDLERS is typed by the same two keys; only a walk over all of them cannot be.
function findHandler(noun: string, verb: string): Handler {
  return (HANDLERS as unknown as Record<string, Record<string, Handler>>)[noun]?.[verb] as Handler;
}

async function serve(ctx: Context, route: Route, house: RouteDependencies): Promise<void> {
  const trace = getTrace(ctx);
  trace.operation = route.operation.id;
  trace.route = route.template;
  await injectFault(ctx, route.operation, house.engine, () => work(ctx, route, house));
}

async function work(ctx: Context, route: Route, house: RouteDependencies): Promise<void> {
  const { engine, idempotency, grease } = house;
  if (route.alias) setAliasHeaders(ctx, route.alias, ctx.params);
  if (route.operation.auth === "client") return serveToken(ctx, route, house);
  const caller = setCaller(
    ctx,
    limitCaller(ctx, engine, () => authenticate(ctx, route.legacy, engine)),
  );
  const key = takesIdempotencyKey(route.operation)
    ? parseIdempotencyKey(ctx.headers["idempotency-key"] as string)
    : null;
  if (key === null)
    return withInput(ctx, route, engine, caller, async (input) => respond(ctx, route, input, house));
  const scope = { ...caller, operation: route.operation.id, key };
  await idempotency.lock(scope, () =>
    withInput(ctx, route, engine, caller, async (input, body) => {
      const print = fingerprintRequest(input.params, body);
      const finished = await idempotency.replayOrRun(scope, print, async () => {
        const given = await callHandler(ctx, route, input, engine);
        const answer = renderResponse(route.operation, given, grease);
        if (!("repeated" in given)) return { response: answer, stored: answer };
        return {
          response: answer,
          stored: renderResponse(route.operation, { ...given, json: given.repeated }, grease),
        };
      });
      sendResponse(ctx, finished);
    }),
  );
}

/** RFC 6749 §5: never cached, and every refusal in the shape of §5.2. */
async function serveToken(ctx: Context, route: Route, house: RouteDependencies): Promise<void> {
  ctx.set({ "Cache-Control": "no-store", Pragma: "no-cache" });
  try {
    limitAddress(ctx, house.engine);
    await withInput(ctx, route, house.engine, null, async (input) => respond(ctx, route, input, house));
  } catch (error) {
    throw error instanceof ProblemError
      ? new TokenEndpointError("invalid_request", error.message, error.status)
      : error;
  }
}

async function withInput(
  ctx: Context,
  { operation, accepted: taken, legacy, alias }: Route,
  engine: Engine,
  caller: Caller | null,
  use: (input: HandlerInput, body: ParsedRequestBody) => Promise<void>,
): Promise<void> {
  const hash = ctx.headers["idempotency-key"] !== undefined;
  const { params, query: querySchema } = taken;
  if (params) await requireValid(ctx.params, params, (pointer) => ({ parameter: pointer.slice(1) }));
  const query = await parseQuery(ctx, querySchema, operation);
  await withBody(ctx, taken, engine, { hash }, (body) => {
    const given = { params: ctx.params, query, body };
    const canonical = alias ? forwardToCanonical(ctx, operation, alias, given) : given;
    return use(
      {
        // The row decides what the handler is typed to get.
        params: canonical.params,
        query: canonical.query as null,
        caller: caller as Caller & null,
        body: canonical.body.content as null,
        legacy,
        header: (name) => ctx.get(name),
        accepts: (types) => ctx.accepts([...types]) || null,
      },
      canonical.body,
    );
  });
}

/**
 * A row without a query takes none: what is meant to narrow a request must not go unheard. The token route leaves that to
 * its form (RFC 6749 §3.2: unrecognized parameters are ignored).
 */
async function parseQuery(
  { querystring }: Context,
  schema: TObject | undefined,
  { auth }: Operation,
): Promise<Record<string, unknown> | null> {
  if (schema) return parseQueryString(querystring, schema);
  if (querystring !== "" && auth === "credential") await parseQueryString(querystring, NO_QUERY);
  return null;
}

const NO_QUERY = Type.Object({}, { additionalProperties: false });

/** What the handler answers; the events that came of it are noted. */
async function callHandler(
  ctx: Context,
  { handler }: Route,
  input: HandlerInput,
  engine: Engine,
): Promise<HandlerResult> {
  const given = await handler(input, engine);
  if (given.events) getTrace(ctx).events.push(...given.events);
  return given;
}

async function respond(
  ctx: Context,
  route: Route,
  input: HandlerInput,
  { engine, grease }: RouteDependencies,
): Promise<void> {
  const { operation } = route;
  const given = await callHandler(ctx, route, input, engine);
  if ("list" in given) {
    const { headers, pieces } = streamList(operation, given, grease);
    return sendStream(ctx, operation, headers, given.list.type, pieces);
  }
  if ("stream" in given) return sendStream(ctx, operation, given.headers, given.type, given.stream);
  sendResponse(ctx, renderResponse(operation, given, grease));
}

/** Sends a body piece by piece: the next one is made when the last one has gone. */
function sendStream(
  ctx: Context,
  { response: { status } }: Operation,
  headers: HandlerResult["headers"],
  type: string,
  body: Iterable<string>,
): void {
  ctx.status = status;
  ctx.set({ ...headers, "Content-Type": withCharset(type) });
  ctx.body = Readable.from(captureResponseBody(ctx, body), { objectMode: false });
}

function renderResponse(
  operation: Operation,
  given: HandlerResult,
  grease: ResponseGrease | null,
): FinishedResponse {
  if ("list" in given || "stream" in given)
    throw new TypeError("a streamed answer cannot be kept for a repeat");
  const { headers = {} } = given;
  const text = "text" in given ? given.text : JSON.stringify(given.json);
  const answer = { status: operation.response.status, headers, body: text };
  return grease?.varyResponse(operation, answer) ?? answer;
}

function sendResponse(ctx: Context, { status, headers, body }: FinishedResponse): void {
  ctx.status = status;
  ctx.set("Content-Type", JSON_TYPE);
  ctx.set(headers);
  ctx.body = body;
}

const withCharset = (type: string): string => `${type}; charset=utf-8`;
