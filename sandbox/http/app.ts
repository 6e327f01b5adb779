import Koa, { type Context, type Middleware } from "koa";
import { aliasAt } from "../../src/contract/aliases.ts";
import { OPERATIONS } from "../../src/contract/operations.ts";
import { ClaimsError } from "../../src/domain/errors.ts";
import type { Engine } from "../engine/engine.ts";
import { type ProblemError, problemError } from "../refusal.ts";
import { closestRoute } from "./closest-route.ts";
import { answerEarly } from "./early-answer.ts";
import { isSpoilt, spoilAnswer } from "./faults/spoilt-answer.ts";
import { tellAlias } from "./forwarded.ts";
import { Grease } from "./grease/grease.ts";
import { tellVaried } from "./grease/told.ts";
import { limitStranger } from "./limited.ts";
import { mount } from "./mount.ts";
import { writeError } from "./problems.ts";
import { record } from "./recording.ts";

interface AppOptions {
  /** Asked before the service's routes. */
  readonly control: Middleware;
}

/** The service's routes behind request ids and problem answers. */
export function createApp(engine: Engine, { control }: AppOptions): Koa {
  const app = new Koa();
  const grease = engine.form.varies.length === 0 ? null : new Grease(engine.form);
  const router = mount(engine, grease);
  app.use((ctx, next) => answered(ctx, next, engine, grease));
  app.use(control);
  app.use(router.routes());
  app.use((ctx) => {
    const layers = router.match(ctx.path, ctx.method).path;
    const alias = aliasAt(ctx.path);
    const [layer] = layers;
    // Alias traffic it is, whatever the method (interface §4).
    if (alias && layer) tellAlias(ctx, alias, layer.params(ctx.path, layer.captures(ctx.path)));
    limitStranger(ctx, engine);
    throw unrouted(
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

async function answered(
  ctx: Context,
  next: () => Promise<unknown>,
  { random, form, journal, onError }: Engine,
  service: Grease | null,
): Promise<void> {
  const requestId = requestIdOf(ctx.get("X-Request-Id")) ?? random.uuid(idStream(ctx.path));
  ctx.set("X-Request-Id", requestId);
  const isForService = !isControl(ctx.path);
  if (isForService) record(ctx, requestId, journal);
  const grease = isForService ? service : null;
  try {
    await next();
    if (grease) tellVaried(ctx, form);
  } catch (error) {
    writeError(ctx, error, { requestId, grease, onError });
    if (grease) tellVaried(ctx, form);
    if (!isSpoilt(ctx)) await answerEarly(ctx);
  }
  if (isSpoilt(ctx)) await spoilAnswer(ctx);
}

// Whoever waits for `ready` asks as often as it takes; that must not change the ids of the service's answers.
const idStream = (path: string): string => (isControl(path) ? "control_request" : "request");

const isControl = (path: string): boolean => path.startsWith("/_sandbox");

const requestIdOf = (header: string): string | null => (/^[\w.-]{1,128}$/.test(header) ? header : null);

function unrouted(ctx: Context, methods: readonly string[]): ProblemError {
  if (methods.length === 0) {
    const closest = closestRoute(ctx.path);
    const { method, path } = OPERATIONS.document.openapi;
    const next = closest ? `The closest one is ${closest}.` : `${method} ${path} lists the routes.`;
    return problemError("route_not_found", `There is no route ${ctx.path}. ${next}`);
  }
  const allow = [...new Set(methods)].sort().join(", ");
  return problemError("method_not_allowed", `${ctx.path} takes ${allow}, not ${ctx.method}.`, {
    headers: { Allow: allow },
  });
}
