import { ClaimsError } from "../../../domain/errors.ts";

const MANAGED = "the credential is added to every request; `claims help credentials` tells where from";
const HOP_BY_HOP = "it belongs to the connection, which is looked after (RFC 9110 §7.6.1)";

/** What cannot be set, and why: a secret never stands in a command line, and the connection is not the user's. */
const REFUSED: Readonly<Record<string, string>> = {
  authorization: MANAGED,
  connection: HOP_BY_HOP,
  "content-length": "it is counted",
  cookie: MANAGED,
  expect: HOP_BY_HOP,
  host: "name the service with --base-url",
  "keep-alive": HOP_BY_HOP,
  "proxy-authenticate": HOP_BY_HOP,
  "proxy-authorization": HOP_BY_HOP,
  "proxy-connection": HOP_BY_HOP,
  te: HOP_BY_HOP,
  trailer: HOP_BY_HOP,
  "transfer-encoding": HOP_BY_HOP,
  upgrade: HOP_BY_HOP,
  "x-api-key": MANAGED,
};

/** A header as `-H` has it: its name in lower case, and its value. */
export type Header = readonly [name: string, value: string];

/** @throws ClaimsError `usage`; the value is in no message, as it may be a secret */
export function parseHeader(text: string): Header {
  const [, name = "", value = ""] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/s.exec(text) ?? [];
  if (name === "" || /[^\t\x20-\x7e]/.test(value)) {
    throw new ClaimsError("usage", "invalid_header", `-H ${name || "without a name"} is no header`, {
      hint: "write -H 'Name: value', in visible ASCII characters",
    });
  }
  const why = REFUSED[name.toLowerCase()];
  if (why === undefined) return [name.toLowerCase(), value];
  throw new ClaimsError("usage", "header_refused", `the header ${name} cannot be set`, { hint: why });
}

/** Headers by name; what is given twice is a list (RFC 9110 §5.3). */
export function headersOf(given: readonly Header[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of given) {
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
}
