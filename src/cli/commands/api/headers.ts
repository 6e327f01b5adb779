import { HOP_BY_HOP_HEADERS } from "../../../client/http/hop-by-hop.ts";
import { ClaimsError } from "../../../domain/errors.ts";

const CREDENTIAL_REASON =
  "the credential is added to every request; `claims help credentials` tells where from";
const HOP_BY_HOP_REASON = "it belongs to the connection, which is looked after (RFC 9110 §7.6.1)";

/** What cannot be set, and why: a secret never stands in a command line, and the connection is not the user's. */
const REFUSAL_REASONS: Readonly<Record<string, string>> = {
  authorization: CREDENTIAL_REASON,
  "content-length": "it is counted",
  cookie: CREDENTIAL_REASON,
  host: "name the service with --base-url",
  "x-api-key": CREDENTIAL_REASON,
};

/** A header as `-H` has it: its name in lower case, and its value. */
export type RequestHeader = readonly [name: string, value: string];

/** @throws ClaimsError `usage`; the value is in no message, as it may be a secret */
export function parseHeader(text: string): RequestHeader {
  const [, name = "", value = ""] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/s.exec(text) ?? [];
  if (name === "" || /[^\t\x20-\x7e]/.test(value)) {
    throw new ClaimsError("usage", "invalid_header", `-H ${name || "without a name"} is no header`, {
      hint: "write -H 'Name: value', in visible ASCII characters",
    });
  }
  const why = HOP_BY_HOP_HEADERS.has(name.toLowerCase())
    ? HOP_BY_HOP_REASON
    : REFUSAL_REASONS[name.toLowerCase()];
  if (why === undefined) return [name.toLowerCase(), value];
  throw new ClaimsError("usage", "header_refused", `the header ${name} cannot be set`, { hint: why });
}

/** Headers by name; what is given twice is a list (RFC 9110 §5.3). */
export function mergeHeaders(given: readonly RequestHeader[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of given) {
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
}
