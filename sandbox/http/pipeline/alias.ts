import { toCanonicalRequest } from "../../../src/contract/alias-request.ts";
import { ALIAS_HEADERS, type BrokerAlias } from "../../../src/contract/aliases.ts";
import type { Operation } from "../../../src/contract/operations/operation.ts";
import type { RequestState, RouteContext, Step } from "../request-state.ts";

/** Characters. Clients read some 16 KiB of headers, and an id may be three times as long in the canonical path. */
const MAX_ALIAS_PATH_LENGTH = 2_000;

/** Sets the alias headers before anything can refuse the request, so that refusals carry them too (interface §4). */
export const nameAlias =
  (alias: BrokerAlias): Step =>
  (ctx, next) => {
    setAliasHeaders(ctx, alias, ctx.params);
    return next();
  };

export const forwardToCanonical =
  (operation: Operation, alias: BrokerAlias): Step =>
  (ctx, next) => {
    const { state } = ctx;
    const { params, query, body } = state;
    const json = body.kind === "json" ? (body.content as Readonly<Record<string, unknown>>) : null;
    const request = toCanonicalRequest(operation, alias, { params, query, json });
    Object.assign(state, { params: request.params, query: request.query });
    if (request.json) state.body = { kind: "json", content: request.json };
    setAliasHeaders(ctx, alias, request.params);
    return next();
  };

/** The canonical path names an unknown id by its placeholder. A path that is too long gets no headers. */
export function setAliasHeaders(
  ctx: RouteContext,
  { canonicalPath, lifecycle }: BrokerAlias,
  params: RequestState["params"],
): void {
  if (ctx.path.length > MAX_ALIAS_PATH_LENGTH) return;
  ctx.set({
    [ALIAS_HEADERS.alias]: ctx.path,
    [ALIAS_HEADERS.canonicalPath]: canonicalPath.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
      params[name] === undefined ? placeholder : encodeURIComponent(params[name]),
    ),
    [ALIAS_HEADERS.lifecycle]: lifecycle,
  });
}
