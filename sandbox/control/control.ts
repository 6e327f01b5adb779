import type { Context, Middleware } from "koa";
import { ClaimsError } from "../../src/domain/errors.ts";
import type { Engine } from "../engine/engine.ts";
import { JSON_TYPE } from "../wire/content-types.ts";
import { CLOCK_ROUTES } from "./clock.ts";
import { FAULT_ROUTES } from "./faults.ts";
import { requireControlToken, requireSameOrigin } from "./guard.ts";
import { LIFECYCLE_ROUTES } from "./lifecycle.ts";
import { controlProblem, toProblemError } from "./problems.ts";
import { REQUEST_ROUTES } from "./requests.ts";
import {
  type ControlCall,
  type ControlOptions,
  type ControlRoute,
  methodsOf,
  type RouteMatch,
  routesAt,
} from "./route.ts";
import { SINK_ROUTES } from "./sinks.ts";
import { SNAPSHOT_ROUTES } from "./snapshots.ts";
import { WEBHOOK_ROUTES } from "./webhooks.ts";

const PREFIX = "/_sandbox";

/** Every row of the control API. */
export const CONTROL_ROUTES: readonly ControlRoute[] = [
  ...LIFECYCLE_ROUTES,
  ...CLOCK_ROUTES,
  ...SINK_ROUTES,
  ...WEBHOOK_ROUTES,
  ...SNAPSHOT_ROUTES,
  ...FAULT_ROUTES,
  ...REQUEST_ROUTES,
];

/** The control API (product.md §5): for whoever started the sandbox, never part of the contract. */
export function controlApi(engine: Engine, options: ControlOptions): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== PREFIX && !ctx.path.startsWith(`${PREFIX}/`)) return next();
    requireSameOrigin(ctx, options.host);
    const found = findRoute(ctx, options.token);
    const answer = await runHandler(found, { ctx, engine, options });
    ctx.set("Cache-Control", "no-store");
    if (!answer) return;
    ctx.status = 200;
    ctx.set("Content-Type", JSON_TYPE);
    ctx.body = JSON.stringify(answer);
  };
}

async function runHandler(
  { route, params }: RouteMatch,
  call: Omit<ControlCall, "params">,
): Promise<object | null> {
  try {
    return await route.handle({ ...call, params });
  } catch (error) {
    throw (error instanceof ClaimsError && toProblemError(error)) || error;
  }
}

/** The row that a request is for; what there is, is told only to who has the token. */
function findRoute(ctx: Context, token: string): RouteMatch {
  const found = routesAt(CONTROL_ROUTES, ctx.path.slice(PREFIX.length));
  const wanted = found.find(({ route }) =>
    [ctx.method, "ANY"].some((method) => methodsOf(route).includes(method)),
  );
  if (!(wanted ?? found[0])?.route.isPublic) requireControlToken(ctx, token);
  if (wanted) return wanted;
  if (found.length > 0) {
    const allow = found.flatMap(({ route }) => methodsOf(route)).join(", ");
    throw controlProblem("method_not_allowed", `${ctx.path} takes ${allow}, not ${ctx.method}.`, {
      Allow: allow,
    });
  }
  const paths = [...new Set(CONTROL_ROUTES.map(({ path }) => path))].join(", ");
  throw controlProblem("control_route_not_found", `There is ${paths} under ${PREFIX}.`);
}
