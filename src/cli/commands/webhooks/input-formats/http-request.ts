import { Buffer } from "node:buffer";
import { type HeaderList, headerValues } from "../../../../domain/webhooks/headers.ts";
import { inputError, type ReceivedDelivery } from "./delivery.ts";
import { parseHeaderLines } from "./headers.ts";

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

/** Decodes chunks (RFC 9112 §7.1); null for a body without them, which most tools save. */
function joinChunks(framed: Buffer): Buffer | null {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = framed.indexOf("\r\n", at);
    const line = framed.subarray(at, lineEnd).toString("latin1");
    const [, size] = /^([0-9a-fA-F]{1,8})(?:;.*)?$/.exec(line) ?? [];
    if (lineEnd < 0 || size === undefined) return null;
    const length = Number.parseInt(size, 16);
    if (length === 0) return Buffer.concat(chunks);
    const start = lineEnd + 2;
    if (framed.subarray(start + length, start + length + 2).toString("latin1") !== "\r\n") return null;
    chunks.push(framed.subarray(start, start + length));
    at = start + length + 2;
  }
}
