import { STATUS_CODES } from "node:http";
import type { ApiResponse } from "../../../client/client.ts";
import { sanitizeLine } from "../../output/sanitize.ts";

/** The line of the status and the headers before a body; a session is a secret too. */
export function renderHead({ status, headers }: ApiResponse): string {
  const lines = Object.entries(headers).map(
    ([name, value]) => `${name}: ${name === "set-cookie" ? "[redacted]" : sanitizeLine(value)}`,
  );
  return `${[`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`.trimEnd(), ...lines].join("\n")}\n\n`;
}

/** One page as one line: a JSON document has line feeds only between its tokens, or after them. */
export const renderPage = ({ body }: ApiResponse): string =>
  `${body
    .toString("utf8")
    .trim()
    .replace(/[\r\n]+/g, " ")}\n`;
