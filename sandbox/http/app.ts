import Koa, { type Middleware } from "koa";
import { findAlias } from "../../src/contract/aliases.ts";
import { GREASE_HEADER } from "../../src/contract/grease.ts";
import { OPERATIONS } from "../../src/contract/operations/operations.ts";
import { findClosestPath } from "../../src/contract/routes.ts";
import { ClaimsError } from "../../src/domain/errors.ts";
import type { Engine } from "../engine/engine.ts";
import { formatHeaderName } from "../engine/service/grease/formats.ts";
import { describeVariants } from "../engine/service/grease/variants.ts";
import type { SimulatedService } from "../engine/service/simulated-service.ts";
import { type ProblemError, problemError } from "../wire/problem-error.ts";
import { respondEarly } from "./early-response.ts";
import { writeError } from "./error-response.ts";
import { sendTruncatedResponse } from "./faults/truncated-response.ts";
import { setAliasHeaders } from "./pipeline/alias.ts";
import { limitAddress } from "./pipeline/authenticate.ts";
import { recordRequest } from "./request-recorder.ts";
import { createState, type RequestState, type RouteContext, type Step } from "./request-state.ts";
import { createRouter } from "./router.ts";

/** @param control the control API; calls `next` for other paths */
export function createApp(engine: Engine, control: Middleware): Koa<RequestState> {
  const app = new Koa<RequestState>();
  const router = createRouter(engine);
  app.use(respond(engine));
  app.use(control);
  app.use(router.routes());
  app.use((ctx) => {
    const layers = router.match(ctx.path, ctx.method).path;
    const alias = findAlias(ctx.path);
    const [layer] = layers;
    // A request to an alias gets its headers whatever the method (interface §4).
    if (alias && layer) setAliasHeaders(ctx, alias, layer.params(ctx.path, layer.captures(ctx.path)));
    limitAddress(ctx, engine);
    const methods = new Set(layers.flatMap((each) => each.methods));
    if (ctx.method !== "OPTIONS" || methods.size === 0) throw createRouteRefusal(ctx, methods);
    // RFC 9110 §9.3.7.
    ctx.status = 204;
    ctx.set("Allow", formatAllow(methods));
  });
  // Errors after the response began. A caller that disconnects during a stream is not an error of the sandbox.
  app.on("error", (error: unknown, ctx?: RouteContext) => {
    if (ctx?.req.socket.destroyed) return;
    // An incomplete response must not look complete, nor keep its caller waiting for the rest.
    if (ctx?.headerSent) ctx.req.socket.destroy();
    if (!(error instanceof ClaimsError)) engine.onError(error);
  });
  return app;
}

/** What a browser requests by itself, with a page and for its tools: never a request of the user. */
const BROWSER_PATHS: ReadonlySet<string> = new Set([
  "/favicon.ico",
  "/.well-known/appspecific/com.chrome.devtools.json",
]);

const respond =
  ({ random, service, requestLog, onError }: Engine): Step =>
  async (ctx, next) => {
    // Polls of the control API, and what a browser asks for by itself, must not change the ids of the service's responses.
    const isControl = ctx.path.startsWith("/_sandbox") || BROWSER_PATHS.has(ctx.path);
    const requestId = parseRequestId(ctx) ?? random.uuid(isControl ? "control_request" : "request");
    const encoder = isControl ? null : service.responseEncoder;
    ctx.state = createState();
    ctx.set("X-Request-Id", requestId);
    if (!isControl) recordRequest(ctx, requestId, requestLog);
    try {
      await next();
      if (encoder) finishResponse(ctx, service);
    } catch (error) {
      writeError(ctx, error, { requestId, encoder, onError });
      if (encoder) finishResponse(ctx, service);
      if (!ctx.state.isTruncated) await respondEarly(ctx);
    }
    if (ctx.state.isTruncated) await sendTruncatedResponse(ctx);
  };

const parseRequestId = (ctx: RouteContext): string | undefined =>
  /^[\w.-]{1,128}$/.exec(ctx.get("X-Request-Id"))?.[0];

const formatAllow = (methods: Iterable<string>): string => [...methods, "OPTIONS"].sort().join(", ");

function createRouteRefusal(ctx: RouteContext, methods: ReadonlySet<string>): ProblemError {
  if (methods.size === 0) {
    const closest = findClosestPath(ctx.path);
    const { method, path } = OPERATIONS.document.openapi;
    const next = closest ? `The closest one is ${closest}.` : `${method} ${path} lists the routes.`;
    return problemError("route_not_found", `There is no route ${ctx.path}. ${next}`);
  }
  const allow = formatAllow(methods);
  return problemError("method_not_allowed", `${ctx.path} takes ${allow}, not ${ctx.method}.`, {
    headers: { Allow: allow },
  });
}

function finishResponse(ctx: RouteContext, { usedVariants, givenMapping, variants }: SimulatedService): void {
  if (givenMapping) ctx.set(MAPPING_HEADER, `${Object.keys(givenMapping).length} lines`);
  const { res } = ctx;
  const earlier = String(res.getHeader(GREASE_HEADER) ?? "");
  const varied = [...earlier.split(", ").filter(Boolean), ...describeVariants(variants, ["headerCase"])];
  ctx.state.trace.varied.push(...varied);
  for (const each of varied) usedVariants.add(each);
  if (varied.length > 0) ctx.set(GREASE_HEADER, varied.join(", "));
  if (variants.headerCase === null) return;
  for (const name of res.getHeaderNames()) {
    const value = res.getHeader(name);
    if (value !== undefined) res.setHeader(formatHeaderName(name, variants.headerCase), value);
  }
}

/** On each response that a mapping has changed, or could have. */
export const MAPPING_HEADER = "X-Sandbox-Mapping";
