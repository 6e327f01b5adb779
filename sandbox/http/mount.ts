import { Readable } from "node:stream";
import Router from "@koa/router";
import type { Context } from "koa";
import Type, { type TObject } from "typebox";
import { overAlias } from "../../src/contract/alias-request.ts";
import { aliasesOf, type BrokerAlias, methodsOver } from "../../src/contract/aliases.ts";
import { type Operation, takesIdempotencyKey } from "../../src/contract/operation.ts";
import { OPERATIONS } from "../../src/contract/operations.ts";
import type { Engine } from "../engine/engine.ts";
import type { Answer, Handler, Input } from "../handlers/handler.ts";
import { HANDLERS } from "../handlers/index.ts";
import { TokenEndpointError, ProblemError } from "../refusal.ts";
import type { Caller } from "../store/credentials.ts";
import { JSON_TYPE } from "../wire/content-types.ts";
import { authenticate } from "./auth.ts";
import { type Body, withBody } from "./body.ts";
import { withFault } from "./faults/faults.ts";
import { forwarded, tellAlias } from "./forwarded.ts";
import type { Grease } from "./grease/grease.ts";
import { type FinishedAnswer, fingerprint, Idempotency, readKey } from "./idempotency.ts";
import { limited, limitStranger } from "./limited.ts";
import { writeList } from "./long-list.ts";
import { readQuery } from "./query.ts";
import { noteCaller, saying } from "./recording.ts";
import { traceOf } from "./trace.ts";
import { requireValid } from "./valid.ts";

/** A route of the contract and what answers there. */
interface Route {
  readonly operation: Operation;
  /** The same row as this route takes requests for it. */
  readonly taken: Operation;
  readonly handler: Handler;
  /** The path as the contract writes it. */
  readonly template: string;
  readonly legacy: boolean;
  /** The broker alias that the route is, if it is one. */
  readonly alias: BrokerAlias | null;
}

/** What every route is served with. */
interface House {
  readonly engine: Engine;
  readonly idempotency: Idempotency;
  readonly grease: Grease | null;
}

/** The contract's rows as routes, each on its canonical path, its compatibility path and its aliases. */
export function mount(engine: Engine, grease: Grease | null): Router {
  const router = new Router({ strict: true, sensitive: true });
  const house: House = { engine, idempotency: new Idempotency(engine), grease };
  for (const [noun, verbs] of Object.entries(OPERATIONS)) {
    for (const [verb, operation] of Object.entries(verbs) as [string, Operation][]) {
      const handler = handlerOf(noun, verb);
      const add = (
        template: string,
        methods: readonly string[],
        surface: Omit<Route, "operation" | "handler" | "template">,
      ) =>
        router.register(routerPath(template), [...methods], (ctx: Context) =>
          serve(ctx, { operation, handler, template, ...surface }, house),
        );
      const { method, path, legacyPath } = operation;
      add(path, [method], { taken: operation, legacy: false, alias: null });
      if (legacyPath) add(legacyPath, [method], { taken: operation, legacy: true, alias: null });
      for (const alias of aliasesOf(operation.id)) {
        const taken = overAlias(operation, alias);
        add(alias.path, methodsOver(operation), { taken, legacy: false, alias });
      }
    }
  }
  return router;
}

const routerPath = (path: string): string => path.replace(/\{(\w+)\}/g, ":$1");

// HANDLERS is typed by the same two keys; only a walk over all of them cannot be.
function handlerOf(noun: string, verb: string): Handler {
  return (HANDLERS as unknown as Record<string, Record<string, Handler>>)[noun]?.[verb] as Handler;
}

async function serve(ctx: Context, route: Route, house: House): Promise<void> {
  const trace = traceOf(ctx);
  trace.operation = route.operation.id;
  trace.route = route.template;
  await withFault(ctx, route.operation, house.engine, () => work(ctx, route, house));
}

async function work(ctx: Context, route: Route, house: House): Promise<void> {
  const { engine, idempotency, grease } = house;
  if (route.alias) tellAlias(ctx, route.alias, ctx.params);
  if (route.operation.auth === "client") return serveToken(ctx, route, house);
  const caller = noteCaller(
    ctx,
    limited(ctx, engine, () => authenticate(ctx, route.legacy, engine)),
  );
  const key = takesIdempotencyKey(route.operation) ? readKey(ctx.headers["idempotency-key"] as string) : null;
  if (key === null)
    return withInput(ctx, route, engine, caller, async (input) => answer(ctx, route, input, house));
  const scope = { ...caller, operation: route.operation.id, key };
  await idempotency.hold(scope, () =>
    withInput(ctx, route, engine, caller, async (input, body) => {
      const print = fingerprint(input.params, body);
      const finished = await idempotency.once(scope, print, async () => {
        const given = await handled(ctx, route, input, engine);
        const answer = finish(route.operation, given, grease);
        if (!("repeated" in given)) return { answer, kept: answer };
        return { answer, kept: finish(route.operation, { ...given, json: given.repeated }, grease) };
      });
      write(ctx, finished);
    }),
  );
}

/** RFC 6749 §5: never cached, and every refusal in the shape of §5.2. */
async function serveToken(ctx: Context, route: Route, house: House): Promise<void> {
  ctx.set({ "Cache-Control": "no-store", Pragma: "no-cache" });
  try {
    limitStranger(ctx, house.engine);
    await withInput(ctx, route, house.engine, null, async (input) => answer(ctx, route, input, house));
  } catch (error) {
    throw error instanceof ProblemError ? new TokenEndpointError("invalid_request", error.message, error.status) : error;
  }
}

async function withInput(
  ctx: Context,
  { operation, taken, legacy, alias }: Route,
  engine: Engine,
  caller: Caller | null,
  use: (input: Input, body: Body) => Promise<void>,
): Promise<void> {
  const hash = ctx.headers["idempotency-key"] !== undefined;
  const { params, query: asked } = taken;
  if (params) await requireValid(ctx.params, params, (pointer) => ({ parameter: pointer.slice(1) }));
  const query = await queryOf(ctx, asked, operation);
  await withBody(ctx, taken, engine, { hash }, (body) => {
    const given = { params: ctx.params, query, body };
    const wanted = alias ? forwarded(ctx, operation, alias, given) : given;
    return use(
      {
        // The row decides what the handler is typed to get.
        params: wanted.params,
        query: wanted.query as null,
        caller: caller as Caller & null,
        body: wanted.body.content as null,
        legacy,
        header: (name) => ctx.get(name),
        accepts: (types) => ctx.accepts([...types]) || null,
      },
      wanted.body,
    );
  });
}

/**
 * A row without a query takes none: what is meant to narrow a request must not go unheard. The token route leaves that to
 * its form (RFC 6749 §3.2: unrecognized parameters are ignored).
 */
async function queryOf(
  { querystring }: Context,
  asked: TObject | undefined,
  { auth }: Operation,
): Promise<Record<string, unknown> | null> {
  if (asked) return readQuery(querystring, asked);
  if (querystring !== "" && auth === "credential") await readQuery(querystring, NO_QUERY);
  return null;
}

const NO_QUERY = Type.Object({}, { additionalProperties: false });

/** What the handler answers; the events that came of it are noted. */
async function handled(ctx: Context, { handler }: Route, input: Input, engine: Engine): Promise<Answer> {
  const given = await handler(input, engine);
  if (given.events) traceOf(ctx).events.push(...given.events);
  return given;
}

async function answer(ctx: Context, route: Route, input: Input, { engine, grease }: House): Promise<void> {
  const { operation } = route;
  const given = await handled(ctx, route, input, engine);
  if ("list" in given) {
    const { headers, pieces } = writeList(operation, given, grease);
    return send(ctx, operation, headers, given.list.type, pieces);
  }
  if ("stream" in given) return send(ctx, operation, given.headers, given.type, given.stream);
  write(ctx, finish(operation, given, grease));
}

/** Sends a body piece by piece: the next one is made when the last one has gone. */
function send(
  ctx: Context,
  { answer: { status } }: Operation,
  headers: Answer["headers"],
  type: string,
  body: Iterable<string>,
): void {
  ctx.status = status;
  ctx.set({ ...headers, "Content-Type": withCharset(type) });
  ctx.body = Readable.from(saying(ctx, body), { objectMode: false });
}

function finish(operation: Operation, given: Answer, grease: Grease | null): FinishedAnswer {
  if ("list" in given || "stream" in given)
    throw new TypeError("a streamed answer cannot be kept for a repeat");
  const { headers = {} } = given;
  const text = "text" in given ? given.text : JSON.stringify(given.json);
  const answer = { status: operation.answer.status, headers, body: text };
  return grease?.answer(operation, answer) ?? answer;
}

function write(ctx: Context, { status, headers, body }: FinishedAnswer): void {
  ctx.status = status;
  ctx.set("Content-Type", JSON_TYPE);
  ctx.set(headers);
  ctx.body = body;
}

const withCharset = (type: string): string => `${type}; charset=utf-8`;
