import { Readable } from "node:stream";
import Router from "@koa/router";
import type { Context } from "koa";
import { type Operation, takesIdempotencyKey } from "../../src/contract/operation.ts";
import { OPERATIONS } from "../../src/contract/operations.ts";
import type { Engine } from "../engine/engine.ts";
import type { Answer, Handler, Input } from "../handlers/handler.ts";
import { HANDLERS } from "../handlers/index.ts";
import { OAuthRefusal, Refusal } from "../refusal.ts";
import type { Caller } from "../store/credentials.ts";
import { authenticate } from "./auth.ts";
import { type Body, withBody } from "./body.ts";
import { type FinishedAnswer, fingerprint, Idempotency, readKey } from "./idempotency.ts";

const JSON_TYPE = "application/json; charset=utf-8";

/** A route of the contract and what answers there. */
interface Route {
  readonly operation: Operation;
  readonly handler: Handler;
  readonly legacy: boolean;
}

/** The contract's rows as routes, each on its canonical and its compatibility path. */
export function mount(engine: Engine): Router {
  const router = new Router({ strict: true, sensitive: true });
  const idempotency = new Idempotency(engine);
  for (const [noun, verbs] of Object.entries(OPERATIONS)) {
    for (const [verb, operation] of Object.entries(verbs) as [string, Operation][]) {
      const handler = handlerOf(noun, verb);
      for (const path of [operation.path, operation.legacyPath]) {
        if (path === undefined) continue;
        const route: Route = { operation, handler, legacy: path === operation.legacyPath };
        router.register(routerPath(path), [operation.method], (ctx: Context) =>
          serve(ctx, route, engine, idempotency),
        );
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

async function serve(ctx: Context, route: Route, engine: Engine, idempotency: Idempotency): Promise<void> {
  if (route.operation.auth === "client") return serveToken(ctx, route, engine);
  const caller = authenticate(ctx, route.legacy, engine);
  const key = takesIdempotencyKey(route.operation) ? readKey(ctx.headers["idempotency-key"] as string) : null;
  if (key === null)
    return withInput(ctx, route, engine, caller, async (input) => answer(ctx, route, input, engine));
  const scope = { ...caller, operation: route.operation.id, key };
  await idempotency.hold(scope, () =>
    withInput(ctx, route, engine, caller, async (input, body) => {
      const print = fingerprint(input.params, body);
      const finished = await idempotency.once(scope, print, async () =>
        finish(route.operation, await route.handler(input, engine)),
      );
      write(ctx, finished);
    }),
  );
}

/** RFC 6749 §5: never cached, and every refusal in the shape of §5.2. */
async function serveToken(ctx: Context, route: Route, engine: Engine): Promise<void> {
  ctx.set({ "Cache-Control": "no-store", Pragma: "no-cache" });
  try {
    await withInput(ctx, route, engine, null, async (input) => answer(ctx, route, input, engine));
  } catch (error) {
    throw error instanceof Refusal ? new OAuthRefusal("invalid_request", error.message, error.status) : error;
  }
}

async function withInput(
  ctx: Context,
  { operation, legacy }: Route,
  engine: Engine,
  caller: Caller | null,
  use: (input: Input, body: Body) => Promise<void>,
): Promise<void> {
  const hash = ctx.headers["idempotency-key"] !== undefined;
  await withBody(ctx, operation, engine, { hash }, (body) =>
    use(
      {
        params: ctx.params,
        // The row decides which of them the handler is typed to get.
        caller: caller as Caller & null,
        body: body.content as null,
        legacy,
        header: (name) => ctx.get(name),
        accepts: (types) => ctx.accepts([...types]) || null,
      },
      body,
    ),
  );
}

async function answer(ctx: Context, route: Route, input: Input, engine: Engine): Promise<void> {
  const given = await route.handler(input, engine);
  if (!("stream" in given)) return write(ctx, finish(route.operation, given));
  ctx.status = route.operation.answer.status;
  ctx.set({ ...given.headers, "Content-Type": withCharset(given.type) });
  ctx.body = Readable.from(given.stream, { objectMode: false });
}

function finish({ answer: { status } }: Operation, given: Answer): FinishedAnswer {
  if ("stream" in given) throw new TypeError("a streamed answer cannot be kept for a repeat");
  const body = "text" in given ? given.text : JSON.stringify(given.json);
  return { status, headers: given.headers ?? {}, body };
}

function write(ctx: Context, { status, headers, body }: FinishedAnswer): void {
  ctx.status = status;
  ctx.set("Content-Type", JSON_TYPE);
  ctx.set(headers);
  ctx.body = body;
}

const withCharset = (type: string): string => `${type}; charset=utf-8`;
