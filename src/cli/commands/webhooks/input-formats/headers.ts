import { isRecord } from "../../../../domain/json.ts";
import { type HeaderPair, inputError } from "./delivery.ts";

const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/s;

/**
 * Headers of a raw message, a line each. A first line that is a request or a status line is left out; a line that begins
 * with white space goes on with the one before (RFC 9112 §5.2).
 */
export function parseHeaderLines(text: string, shownAs: string): readonly HeaderPair[] {
  const [first = "", ...others] = text.replace(/^\ufeff/, "").split(/\r?\n/);
  const lines = [isStartLine(first) ? "" : first, ...others];
  const headers: HeaderPair[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const [, name, value = ""] = HEADER_LINE.exec(line) ?? [];
    const before = headers.at(-1);
    if (name !== undefined) headers.push([name, trimValue(value)]);
    else if (before && /^[ \t]/.test(line))
      headers[headers.length - 1] = [before[0], `${before[1]} ${line.trim()}`];
    // The line itself may hold a secret.
    else throw inputError(`line ${index + 1} of ${shownAs} is no header`, "write Name: value, a line each");
  }
  return headers;
}

/** `POST /hook HTTP/1.1`, or `HTTP/2 200`. */
const isStartLine = (line: string): boolean =>
  /^([A-Z]+ \S+( HTTP\/\d(\.\d)?)?|HTTP\/\d(\.\d)? \d{3}.*)$/.test(line);

/** The white space that a parser of HTTP takes away (RFC 9112 §5.1). */
const trimValue = (value: string): string => value.replace(/^[ \t]+|[ \t]+$/g, "");

/** Headers that a program printed as a JSON object; null where it is another thing. */
export function headersFromObject(value: unknown): readonly HeaderPair[] | null {
  if (!isRecord(value)) return null;
  return Object.entries(value).flatMap(([name, each]): HeaderPair[] =>
    (Array.isArray(each) ? each : [each]).map((one) => [name, String(one)]),
  );
}

/** A file of headers: lines, or a JSON object. */
export function parseHeaders(bytes: Buffer, shownAs: string): readonly HeaderPair[] {
  const text = bytes.toString("utf8");
  if (text.trim() === "") throw inputError(`${shownAs} is empty`, "save the headers in it, a line each");
  if (!text.trimStart().startsWith("{")) return parseHeaderLines(text, shownAs);
  try {
    return headersFromObject(JSON.parse(text)) ?? [];
  } catch (cause) {
    throw inputError(`${shownAs} begins as JSON and is none`, "print the headers with JSON.stringify", cause);
  }
}
