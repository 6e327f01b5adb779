import Router from "@koa/router";
import type { Context, Middleware } from "koa";
import { CONTROL_OPERATIONS, type ControlKey, type ControlOperation } from "../../src/contract/control.ts";
import { isRecord } from "../../src/domain/json.ts";
import { isLoopback } from "../../src/domain/net.ts";
import { INSPECTOR_PREFIX } from "../inspector/access.ts";
import { JSON_TYPE } from "../wire/content-types.ts";
import { parseBody } from "../wire/parse-body.ts";
import { parseQuery } from "../wire/parse-query.ts";
import { validationError } from "../wire/problem-error.ts";
import { requireStrictJson } from "../wire/strict-json.ts";
import { requireValid, toPointer } from "../wire/validate.ts";
import { requireControlToken, requireSameOrigin } from "./guard.ts";
import { type ControlDependencies, HANDLERS } from "./handlers.ts";
import { controlProblem, withProblems } from "./problems.ts";

const PREFIX = "/_sandbox";

const OPERATIONS: Readonly<Record<string, ControlOperation>> = CONTROL_OPERATIONS;

/** The control API (product.md §5): for the owner of the sandbox, never part of the contract. So is the text at `/`. */
export function createControlApi(dependencies: ControlDependencies): Middleware {
  const router = new Router({ prefix: PREFIX, strict: true, sensitive: true });
  for (const key of Object.keys(OPERATIONS)) {
    const [method = "", path = ""] = key.split(" ");
    const route = path.replace(/\{(\w+)\}/g, ":$1");
    const serve = (ctx: Context) => respond(ctx, key, dependencies);
    if (method === "ANY") router.all(key, route, serve);
    else router.register(route, [method], [...(OPERATIONS[key]?.body ? readJson : []), serve], { name: key });
  }
  const dispatch = router.routes();
  return async (ctx, next) => {
    if (isVisit(ctx)) return welcome(ctx, dependencies);
    if (ctx.path !== PREFIX && !ctx.path.startsWith(`${PREFIX}/`)) return next();
    requireSameOrigin(ctx);
    if (ctx.path === INSPECTOR_PREFIX || ctx.path.startsWith(`${INSPECTOR_PREFIX}/`)) {
      // The pages and their renderer load with the first of them.
      const { serveInspector } = await import("../inspector/inspector.tsx");
      return serveInspector(ctx, dependencies);
    }
    const layers = router.match(ctx.path, ctx.method).path;
    const isPublic = layers.some(({ name }) => OPERATIONS[name ?? ""]?.isPublic);
    // A caller without the token does not learn which operations there are.
    if (!isPublic) requireControlToken(ctx, dependencies.sandbox.controlToken);
    await dispatch(ctx as never, async () =>
      refuse(ctx, [...new Set(layers.flatMap(({ methods }) => methods))]),
    );
  };
}

/** A browser at the base URL. Other clients do not name HTML, and get the response of the service. */
const isVisit = (ctx: Context): boolean =>
  ctx.path === "/" &&
  (ctx.method === "GET" || ctx.method === "HEAD") &&
  ctx.accepts("application/problem+json", "application/json", "text/html") === "text/html";

/** Says where everything is, and has nothing of the state: it needs no guard. */
function welcome(ctx: Context, { host, sandbox }: ControlDependencies): void {
  ctx.status = 200;
  ctx.set({ "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", Vary: "Accept" });
  ctx.type = "text/plain";
  ctx.body = `A sandbox of the claims service is running here: ${sandbox.url}

Credentials    claims sandbox env
Inspector      claims sandbox inspect${isLoopback(host) ? "" : " --out run.html"}
Contract       claims contract fetch
Documentation  claims help
`;
}

async function respond(ctx: Context, key: string, dependencies: ControlDependencies): Promise<void> {
  const { query, body } = OPERATIONS[key] ?? {};
  const call = {
    ...dependencies,
    ctx,
    params: ctx.params,
    query: query ? await parseQuery(ctx.querystring, query) : {},
    body: body ? await validateBody(ctx, body) : {},
  };
  // The table types each handler by its key; only this walk over all of them cannot.
  const handle = HANDLERS[key as ControlKey] as (
    input: typeof call,
  ) => object | null | Promise<object | null>;
  const json = await withProblems(() => handle(call));
  ctx.set("Cache-Control", "no-store");
  if (json === null) return;
  ctx.status = 200;
  ctx.set("Content-Type", JSON_TYPE);
  ctx.body = JSON.stringify(json);
}

/** The body of a control request is JSON, whatever its type says: `curl -d` says that it is a form. */
const readJson: readonly Middleware[] = [
  ({ req }, next) => {
    req.headers["content-type"] = "application/json";
    return next();
  },
  parseBody(),
];

/** `{}` where the body is empty, as `curl -X POST` sends it. */
async function validateBody(
  { request }: Context,
  schema: NonNullable<ControlOperation["body"]>,
): Promise<object> {
  const value = request.rawBody ? request.body : {};
  requireStrictJson(value, request.rawBody ?? "");
  if (!isRecord(value))
    throw validationError([{ pointer: "", code: "wrong_type", detail: "The body is not a JSON object." }]);
  await requireValid(value, schema, toPointer);
  return value;
}

function refuse({ path, method }: Context, methods: readonly string[]): never {
  if (methods.length === 0) {
    const paths = new Set(Object.keys(OPERATIONS).map((key) => key.split(" ")[1]));
    throw controlProblem(
      "control_route_not_found",
      `The paths below ${PREFIX} are ${[...paths].join(", ")}.`,
    );
  }
  const allow = [...methods].sort().join(", ");
  throw controlProblem("method_not_allowed", `${path} takes ${allow}, not ${method}.`, { Allow: allow });
}
