import type { Buffer } from "node:buffer";
import { headerValues } from "../../http-headers.ts";
import { isRecord } from "../../json.ts";
import { joinChunks } from "../explain/body-framing.ts";
import { SIGNATURE_HEADER } from "../headers.ts";
import { decodeText, type HeaderPair, inputError, type ReceivedDelivery } from "./delivery.ts";
import { mentionsServiceHeader, readAllPairs } from "./header-notation.ts";
import { parseLiteral } from "./text-record.ts";

/** Parses a raw HTTP request: headers, an empty line, and the exact bytes of the body. */
export function parseHttpRequest(bytes: Buffer, displayName: string): ReceivedDelivery {
  if (bytes.length === 0)
    throw inputError(`${displayName} is empty`, "save the request in it: headers, an empty line, the body");
  const [end, length] = findHeadEnd(bytes);
  const head = bytes.subarray(0, end);
  if (linesOfVerboseCurl(decodeText(head, displayName)))
    throw inputError(`${displayName} is what curl -v prints`, "give it as --headers, and the body as --body");
  const headers = parseHeaderLines(head.toString("latin1"), displayName);
  if (headers.length === 0)
    throw inputError(
      `no header found ${length > 0 ? "before the empty line " : ""}in ${displayName}`,
      "save the whole request: headers, an empty line, the body",
    );
  const body = bytes.subarray(end + length);
  const isChunked = headerValues(headers, "transfer-encoding").some((value) => /\bchunked\b/i.test(value));
  return { headers, body: isChunked ? (joinChunks(body) ?? body) : body };
}

/** Lines of a log follow the request: a body cannot have the signature that is made of it. */
export function hasOwnSignature({ headers, body }: ReceivedDelivery): boolean {
  const [signature = ""] = headerValues(headers, SIGNATURE_HEADER);
  return signature !== "" && body.includes(signature);
}

const LF = 0x0a;
const CR = 0x0d;

/** The end of the headers, and the length of the empty line. Skips empty lines before the request (RFC 9112 §2.2). */
function findHeadEnd(bytes: Buffer): [offset: number, length: number] {
  let start = 0;
  while (bytes[start] === LF || (bytes[start] === CR && bytes[start + 1] === LF)) start += 1;
  const ends = ["\r\n\r\n", "\n\n"].map((mark): [number, number] => [
    bytes.indexOf(mark, start),
    mark.length,
  ]);
  const [first] = ends.filter(([at]) => at >= 0).sort(([a], [b]) => a - b);
  return first ?? [bytes.length, 0];
}

/** The request in the output of `curl -v`, which marks its lines with `>`. */
const linesOfVerboseCurl = (text: string): string | null =>
  /^> [A-Z]+ \S+ HTTP\/\d/m.test(text) ? (text.match(/(?<=^> ).+/gm)?.join("\n") ?? null) : null;

const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/s;

/** Before the headers of HTTP/2 (RFC 9113 §8.3). */
const PSEUDO_HEADER = /^:(method|scheme|authority|path|status):/;

/** `POST /hook HTTP/1.1`, or `HTTP/2 200`. */
const START_LINE = /^([A-Z]+ \S+( HTTP\/\d(\.\d)?)?|HTTP\/\d(\.\d)? \d{3}.*)$/;

/** Looks at a run of blanks from its first character alone. */
export const trimBlanks = (text: string): string => text.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, "");

/** Whether a file that begins with this line is a raw request. */
export const isHttpRequest = (line: string): boolean =>
  START_LINE.test(line) || /^(host|user-agent|content-[a-z]+|x-service-[a-z]+):/i.test(line);

/**
 * Parses the headers of a raw message, one a line. Skips a request or status line at the start, also after empty lines. A
 * line that begins with white space continues the header before (RFC 9112 §5.2).
 */
export function parseHeaderLines(text: string, displayName: string): readonly HeaderPair[] {
  const headers: HeaderPair[] = [];
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  const first = lines.findIndex((line) => line.trim() !== "");
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "" || PSEUDO_HEADER.test(line) || (index === first && START_LINE.test(line)))
      continue;
    const [, name, value = ""] = HEADER_LINE.exec(line) ?? [];
    const before = headers.at(-1);
    // RFC 9112 §5.1: a parser removes spaces and tabs around the value.
    if (name !== undefined) headers.push([name, trimBlanks(value)]);
    else if (before && /^[ \t]/.test(line))
      headers[headers.length - 1] = [before[0], `${before[1]} ${line.trim()}`];
    // Without the line itself, which can hold a secret.
    else
      throw inputError(
        `line ${index + 1} of ${displayName} is not a header`,
        "write Name: value, one a line",
      );
  }
  return headers;
}

/** Names of request headers, also as an environment variable or a framework writes them. */
const HEADER_NAME =
  /-|^(?:http|x)_|service_?(?:event|timestamp|signature)|^(?:accept|authorization|connection|cookie|expect|forwarded|host|origin|pragma|referer|sig|signature|te|timestamp|trailer|upgrade|via)$/i;

/**
 * Parses a file of headers: lines, JSON, what Node, Python or Ruby prints of an object, or the output of `curl -v`.
 *
 * @param body of the same delivery; the two files may be swapped
 */
export function parseHeaders(bytes: Buffer, displayName: string, body?: Buffer): readonly HeaderPair[] {
  const text = decodeText(bytes, displayName);
  if (text.trim() === "") throw inputError(`${displayName} is empty`, "save the headers in it, one a line");
  if (!/^\s*[{[]/.test(text)) return parseHeaderLines(linesOfVerboseCurl(text) ?? text, displayName);
  const value = parseLiteral(text.trim());
  if (value === undefined)
    throw inputError(`${displayName} is not JSON`, "log the headers with JSON.stringify(req.headers)");
  const hasHeader = ([name, each]: [string, unknown]) => HEADER_NAME.test(name) && !isRecord(each);
  // A payload is an object, too.
  const headers = isRecord(value) && !Object.entries(value).some(hasHeader) ? null : readAllPairs(value);
  if (headers) return headers;
  throw inputError(
    isRecord(value)
      ? `${displayName} holds a JSON object, and none of its fields is a header`
      : `${displayName} is not a list of headers`,
    body && mentionsServiceHeader(body.toString("latin1"))
      ? "swap --headers and --body: the file of the body holds the headers"
      : "print the headers as an object, or as a list of names and values",
  );
}
