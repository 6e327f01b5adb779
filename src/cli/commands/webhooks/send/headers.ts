import { HOP_BY_HOP_HEADERS } from "../../../../client/http/hop-by-hop.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import type { HeaderPair } from "../input-formats/delivery.ts";

const VISIBLE_TO_OTHERS = "others on this machine see the words of a command line";

/** What cannot be set, and why. */
const REFUSED_HEADERS: Readonly<Record<string, string>> = {
  authorization: VISIBLE_TO_OTHERS,
  "content-length": "it is counted",
  cookie: VISIBLE_TO_OTHERS,
  host: "it is the one of the URL",
  "x-api-key": VISIBLE_TO_OTHERS,
};

/** @throws ClaimsError `usage`; the value is in no message, as it may be a secret */
export function parseHeaderOption(text: string): HeaderPair {
  const [, name = "", value = ""] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/s.exec(text) ?? [];
  if (name === "" || /[^\t\x20-\x7e]/.test(value))
    throw new ClaimsError("usage", "invalid_header", `--header ${name || "without a name"} is no header`, {
      hint: "write --header 'Name: value', in visible ASCII characters",
    });
  const lower = name.toLowerCase();
  const why = HOP_BY_HOP_HEADERS.has(lower) ? "it belongs to the connection" : REFUSED_HEADERS[lower];
  if (why === undefined) return [name, value];
  throw new ClaimsError("usage", "header_refused", `the header ${name} cannot be set`, { hint: why });
}
