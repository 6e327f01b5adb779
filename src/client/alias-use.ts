import { ALIAS_HEADERS } from "../contract/aliases.ts";
import type { RawAnswer } from "./exchange.ts";
import type { RawRequest } from "./request.ts";

/** What a service said of a request that came over an alias (interface §4); what it left out is null. */
export interface AliasUse {
  readonly method: string;
  /** Exact path that the request used. */
  readonly alias: string;
  readonly canonicalPath: string | null;
  readonly lifecycle: string | null;
  readonly status: number;
}

/** Null where the answer has none of the three headers. */
export function aliasUseIn(
  { method, path }: Pick<RawRequest, "method" | "path">,
  { headers, status }: Pick<RawAnswer, "headers" | "status">,
): AliasUse | null {
  const told = (name: string) => headers[name.toLowerCase()] || null;
  const alias = told(ALIAS_HEADERS.alias);
  const canonicalPath = told(ALIAS_HEADERS.canonicalPath);
  const lifecycle = told(ALIAS_HEADERS.lifecycle);
  if (alias === null && canonicalPath === null && lifecycle === null) return null;
  return { method, alias: alias ?? path.replace(/\?.*$/, ""), canonicalPath, lifecycle, status };
}
