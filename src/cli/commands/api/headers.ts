import { HOP_BY_HOP_HEADERS } from "../../../client/http/hop-by-hop.ts";
import { usageError } from "../../../domain/errors.ts";

const CREDENTIAL_REASON = "every request has your credential; see `claims help credentials`";
const HOP_BY_HOP_REASON = "it is a header of the connection (RFC 9110 §7.6.1)";

const REFUSAL_REASONS: ReadonlyMap<string, string> = new Map([
  ["authorization", CREDENTIAL_REASON],
  ["content-length", "it is computed"],
  ["cookie", CREDENTIAL_REASON],
  ["host", "name the service with --base-url"],
  ["x-api-key", CREDENTIAL_REASON],
]);

/** A header of `-H`; its name is in lower case. */
export type RequestHeader = readonly [name: string, value: string];

/** @throws ClaimsError `usage`; no message contains the value, which may be a secret */
export function parseHeader(text: string): RequestHeader {
  const [, name = "", value = ""] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/s.exec(text) ?? [];
  if (name === "" || /[^\t\x20-\x7e]/.test(value)) {
    throw usageError("invalid_header", `-H ${name || "without a name"} is not a valid header`, {
      hint: "write -H 'Name: value', in visible ASCII characters",
    });
  }
  const key = name.toLowerCase();
  const reason = HOP_BY_HOP_HEADERS.has(key) ? HOP_BY_HOP_REASON : REFUSAL_REASONS.get(key);
  if (reason === undefined) return [key, value];
  throw usageError("header_refused", `the header ${name} cannot be set`, { hint: reason });
}

/** Headers by name. A repeated header becomes a list (RFC 9110 §5.3). */
export function mergeHeaders(given: readonly RequestHeader[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of given) {
    const previous = headers[name];
    headers[name] = previous === undefined ? value : `${previous}, ${value}`;
  }
  return headers;
}
