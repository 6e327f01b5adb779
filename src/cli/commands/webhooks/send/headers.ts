import { HOP_BY_HOP } from "../../../../client/hop-by-hop.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import type { Header } from "../intake/delivery.ts";

const SECRET = "others on this machine see the words of a command line";

/** What cannot be set, and why. */
const REFUSED: Readonly<Record<string, string>> = {
  authorization: SECRET,
  "content-length": "it is counted",
  cookie: SECRET,
  host: "it is the one of the URL",
  "x-api-key": SECRET,
};

/** @throws ClaimsError `usage`; the value is in no message, as it may be a secret */
export function parseSentHeader(text: string): Header {
  const [, name = "", value = ""] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/s.exec(text) ?? [];
  if (name === "" || /[^\t\x20-\x7e]/.test(value))
    throw new ClaimsError("usage", "invalid_header", `--header ${name || "without a name"} is no header`, {
      hint: "write --header 'Name: value', in visible ASCII characters",
    });
  const lower = name.toLowerCase();
  const why = HOP_BY_HOP.has(lower) ? "it belongs to the connection" : REFUSED[lower];
  if (why === undefined) return [name, value];
  throw new ClaimsError("usage", "header_refused", `the header ${name} cannot be set`, { hint: why });
}
