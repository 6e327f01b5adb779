import type { Context } from "koa";
import { toCanonicalRequest } from "../../../src/contract/alias-request.ts";
import { ALIAS_HEADERS, type BrokerAlias } from "../../../src/contract/aliases.ts";
import type { Operation } from "../../../src/contract/operation.ts";
import type { HandlerInput } from "../../handlers/handler.ts";
import type { ParsedRequestBody } from "./body.ts";

/** Characters. Clients read some 16 KiB of headers, and an id may be three times as long in the canonical path. */
const MAX_ALIAS_PATH_LENGTH = 2_000;

/**
 * On refusals too: whoever reads them should know that an alias was asked (interface §4). An id that is not known yet
 * stands there by its name. Of a path that is no place for an id any more nothing is told: the answer could not be read.
 */
export function setAliasHeaders(
  ctx: Context,
  { canonicalPath, lifecycle }: BrokerAlias,
  params: HandlerInput["params"],
): void {
  if (ctx.path.length > MAX_ALIAS_PATH_LENGTH) return;
  const knownParams: Readonly<Record<string, string>> = params;
  const canonicalPathname = canonicalPath.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    knownParams[name] === undefined ? placeholder : encodeURIComponent(knownParams[name]),
  );
  ctx.set({
    [ALIAS_HEADERS.alias]: ctx.path,
    [ALIAS_HEADERS.canonicalPath]: canonicalPathname,
    [ALIAS_HEADERS.lifecycle]: lifecycle,
  });
}

/** What a request carries, by the place where it does. */
interface CanonicalInput {
  readonly params: HandlerInput["params"];
  readonly query: Readonly<Record<string, unknown>> | null;
  readonly body: ParsedRequestBody;
}

/** What came over an alias as the canonical path takes it (interface §4). */
export function forwardToCanonical(
  ctx: Context,
  operation: Operation,
  alias: BrokerAlias,
  { params, query, body }: CanonicalInput,
): CanonicalInput {
  const json = body.kind === "json" ? (body.content as Readonly<Record<string, unknown>>) : null;
  const request = toCanonicalRequest(operation, alias, { params, query, json });
  setAliasHeaders(ctx, alias, request.params);
  return {
    params: request.params,
    query: request.query,
    body: request.json ? { kind: "json", content: request.json } : body,
  };
}
