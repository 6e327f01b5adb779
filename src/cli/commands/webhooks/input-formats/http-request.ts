import type { Buffer } from "node:buffer";
import { joinChunks } from "../../../../domain/webhooks/explain/body-framing.ts";
import { type HeaderList, headerValues } from "../../../../domain/webhooks/headers.ts";
import { type HeaderPair, headersFromObject, inputError, type ReceivedDelivery } from "./delivery.ts";

/** Parses a raw HTTP request: headers, an empty line, and the exact bytes of the body. */
export function parseHttpRequest(bytes: Buffer, shownAs: string): ReceivedDelivery {
  if (bytes.length === 0)
    throw inputError(`${shownAs} is empty`, "save the request in it: headers, an empty line, the body");
  const [end, length] = findHeadEnd(bytes);
  const headers = parseHeaderLines(bytes.subarray(0, end).toString("latin1"), shownAs);
  const body = bytes.subarray(end + length);
  return { headers, body: isChunked(headers) ? (joinChunks(body) ?? body) : body };
}

/** The end of the headers, and the length of the empty line. */
function findHeadEnd(bytes: Buffer): [offset: number, length: number] {
  const ends = ["\r\n\r\n", "\n\n"].map((mark): [number, number] => [bytes.indexOf(mark), mark.length]);
  const [first] = ends.filter(([at]) => at >= 0).sort(([a], [b]) => a - b);
  return first ?? [bytes.length, 0];
}

const isChunked = (headers: HeaderList): boolean =>
  headerValues(headers, "transfer-encoding").some((value) => /\bchunked\b/i.test(value));

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
