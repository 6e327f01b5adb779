import { type HeaderPair, headersFromObject, inputError } from "./delivery.ts";

const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/s;

/** `POST /hook HTTP/1.1`, or `HTTP/2 200`. */
const START_LINE = /^([A-Z]+ \S+( HTTP\/\d(\.\d)?)?|HTTP\/\d(\.\d)? \d{3}.*)$/;

/**
 * Parses the headers of a raw message, one a line. Skips a request or status line at the start. A line that begins with
 * white space continues the header before (RFC 9112 §5.2).
 */
export function parseHeaderLines(text: string, shownAs: string): readonly HeaderPair[] {
  const headers: HeaderPair[] = [];
  for (const [index, line] of text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === "" || (index === 0 && START_LINE.test(line))) continue;
    const [, name, value = ""] = HEADER_LINE.exec(line) ?? [];
    const before = headers.at(-1);
    // RFC 9112 §5.1: a parser removes spaces and tabs around the value.
    if (name !== undefined) headers.push([name, value.replace(/^[ \t]+|[ \t]+$/g, "")]);
    else if (before && /^[ \t]/.test(line))
      headers[headers.length - 1] = [before[0], `${before[1]} ${line.trim()}`];
    // Without the line itself, which can hold a secret.
    else throw inputError(`line ${index + 1} of ${shownAs} is not a header`, "write Name: value, one a line");
  }
  return headers;
}

/** Parses a file of headers: lines, or a JSON object. */
export function parseHeaders(bytes: Buffer, shownAs: string): readonly HeaderPair[] {
  const text = bytes.toString("utf8");
  if (text.trim() === "") throw inputError(`${shownAs} is empty`, "save the headers in it, one a line");
  if (!text.trimStart().startsWith("{")) return parseHeaderLines(text, shownAs);
  try {
    return headersFromObject(JSON.parse(text));
  } catch (cause) {
    throw inputError(
      `${shownAs} begins like JSON and is not JSON`,
      "print the headers with JSON.stringify",
      cause,
    );
  }
}
