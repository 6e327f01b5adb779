import { ALIAS_HEADERS } from "../contract/aliases.ts";
import type { HttpResponse } from "./http/transport.ts";
import type { RawRequest } from "./request.ts";

/** The headers of a response to a request over an alias (interface §4). A missing header is null. */
export interface AliasUse {
  readonly method: string;
  /** Exact path that the request used. */
  readonly alias: string;
  readonly canonicalPath: string | null;
  readonly lifecycle: string | null;
  readonly status: number;
}

/** Null if the response has none of the three headers. */
export function readAliasUse(
  { method, path }: Pick<RawRequest, "method" | "path">,
  { headers, status }: Pick<HttpResponse, "headers" | "status">,
): AliasUse | null {
  const header = (name: string) => headers[name.toLowerCase()] || null;
  const alias = header(ALIAS_HEADERS.alias);
  const canonicalPath = header(ALIAS_HEADERS.canonicalPath);
  const lifecycle = header(ALIAS_HEADERS.lifecycle);
  if (alias === null && canonicalPath === null && lifecycle === null) return null;
  return { method, alias: alias ?? path.replace(/\?.*$/, ""), canonicalPath, lifecycle, status };
}
