import type { Context } from "koa";
import { canonicalRequest } from "../../src/contract/alias-request.ts";
import { ALIAS_HEADERS, type BrokerAlias } from "../../src/contract/aliases.ts";
import type { Operation } from "../../src/contract/operation.ts";
import type { Input } from "../handlers/handler.ts";
import type { Body } from "./body.ts";

/** Characters. Clients read some 16 KiB of headers, and an id may be three times as long in the canonical path. */
const LONGEST_TOLD = 2_000;

/**
 * On refusals too: whoever reads them should know that an alias was asked (interface §4). An id that is not known yet
 * stands there by its name. Of a path that is no place for an id any more nothing is told: the answer could not be read.
 */
export function tellAlias(
  ctx: Context,
  { canonicalPath, lifecycle }: BrokerAlias,
  params: Input["params"],
): void {
  if (ctx.path.length > LONGEST_TOLD) return;
  const known: Readonly<Record<string, string>> = params;
  const concrete = canonicalPath.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    known[name] === undefined ? placeholder : encodeURIComponent(known[name]),
  );
  ctx.set({
    [ALIAS_HEADERS.alias]: ctx.path,
    [ALIAS_HEADERS.canonicalPath]: concrete,
    [ALIAS_HEADERS.lifecycle]: lifecycle,
  });
}

/** What a request carries, by the place where it does. */
interface Given {
  readonly params: Input["params"];
  readonly query: Readonly<Record<string, unknown>> | null;
  readonly body: Body;
}

/** What came over an alias as the canonical path takes it (interface §4). */
export function forwarded(
  ctx: Context,
  operation: Operation,
  alias: BrokerAlias,
  { params, query, body }: Given,
): Given {
  const json = body.kind === "json" ? (body.content as Readonly<Record<string, unknown>>) : null;
  const request = canonicalRequest(operation, alias, { params, query, json });
  tellAlias(ctx, alias, request.params);
  return {
    params: request.params,
    query: request.query,
    body: request.json ? { kind: "json", content: request.json } : body,
  };
}
