import Koa, { type Context, type Middleware } from "koa";
import { findAlias } from "../../src/contract/aliases.ts";
import { OPERATIONS } from "../../src/contract/operations.ts";
import { ClaimsError } from "../../src/domain/errors.ts";
import type { Engine } from "../engine/engine.ts";
import { ResponseGrease } from "../engine/grease/response-grease.ts";
import { type ProblemError, problemError } from "../wire/problem-error.ts";
import { findClosestRoute } from "./closest-route.ts";
import { respondEarly } from "./early-response.ts";
import { writeError } from "./error-response.ts";
import { isCorrupted, sendCorruptedResponse } from "./faults/corrupted-response.ts";
import { setAliasHeaders } from "./pipeline/alias.ts";
import { limitAddress } from "./pipeline/rate-limit.ts";
import { recordRequest } from "./request-recorder.ts";
import { createRouter } from "./router.ts";
import { setVariationHeader } from "./variation-header.ts";

interface AppOptions {
  /** Asked before the service's routes. */
  readonly control: Middleware;
}

/** The service's routes behind request ids and problem answers. */
export function createApp(engine: Engine, { control }: AppOptions): Koa {
  const app = new Koa();
  const grease = engine.form.variants.length === 0 ? null : new ResponseGrease(engine.form);
  const router = createRouter(engine, grease);
  app.use((ctx, next) => respond(ctx, next, engine, grease));
  app.use(control);
  app.use(router.routes());
  app.use((ctx) => {
    const layers = router.match(ctx.path, ctx.method).path;
    const alias = findAlias(ctx.path);
    const [layer] = layers;
    // Alias traffic it is, whatever the method (interface §4).
    if (alias && layer) setAliasHeaders(ctx, alias, layer.params(ctx.path, layer.captures(ctx.path)));
    limitAddress(ctx, engine);
    throw createRouteRefusal(
      ctx,
      layers.flatMap(({ methods }) => methods),
    );
  });
  // What fails behind a finished answer: a caller that hangs up in the middle of a stream is no error of ours.
  app.on("error", (error: unknown, ctx?: Context) => {
    if (ctx?.req.socket.destroyed) return;
    // An answer that cannot go on must not look as if it were whole, nor keep its caller waiting for the rest.
    if (ctx?.headerSent) ctx.req.socket.destroy();
    if (!(error instanceof ClaimsError)) engine.onError(error);
  });
  return app;
}

async function respond(
  ctx: Context,
  next: () => Promise<unknown>,
  { random, form, requestLog: journal, onError }: Engine,
  responseGrease: ResponseGrease | null,
): Promise<void> {
  const requestId = parseRequestId(ctx.get("X-Request-Id")) ?? random.uuid(requestIdStream(ctx.path));
  ctx.set("X-Request-Id", requestId);
  const isForService = !isControlPath(ctx.path);
  if (isForService) recordRequest(ctx, requestId, journal);
  const grease = isForService ? responseGrease : null;
  try {
    await next();
    if (grease) setVariationHeader(ctx, form);
  } catch (error) {
    writeError(ctx, error, { requestId, grease, onError });
    if (grease) setVariationHeader(ctx, form);
    if (!isCorrupted(ctx)) await respondEarly(ctx);
  }
  if (isCorrupted(ctx)) await sendCorruptedResponse(ctx);
}

// Whoever waits for `ready` asks as often as it takes; that must not change the ids of the service's answers.
const requestIdStream = (path: string): string => (isControlPath(path) ? "control_request" : "request");

const isControlPath = (path: string): boolean => path.startsWith("/_sandbox");

const parseRequestId = (header: string): string | null => (/^[\w.-]{1,128}$/.test(header) ? header : null);

function createRouteRefusal(ctx: Context, methods: readonly string[]): ProblemError {
  if (methods.length === 0) {
    const closest = findClosestRoute(ctx.path);
    const { method, path } = OPERATIONS.document.openapi;
    const next = closest ? `The closest one is ${closest}.` : `${method} ${path} lists the routes.`;
    return problemError("route_not_found", `There is no route ${ctx.path}. ${next}`);
  }
  const allow = [...new Set(methods)].sort().join(", ");
  return problemError("method_not_allowed", `${ctx.path} takes ${allow}, not ${ctx.method}.`, {
    headers: { Allow: allow },
  });
}
