import { Buffer } from "node:buffer";
import { type HeaderPair, inputError, type ReceivedDelivery } from "./delivery.ts";
import { parseHeaderLines } from "./headers.ts";

/** A raw HTTP request: its head ends at the first empty line, and what follows is the body, byte for byte. */
export function parseHttpRequest(bytes: Buffer, shownAs: string): ReceivedDelivery {
  if (bytes.length === 0)
    throw inputError(`${shownAs} is empty`, "save the request in it: headers, an empty line, the body");
  const [end, length] = findHeadEnd(bytes);
  const headers = parseHeaderLines(bytes.subarray(0, end).toString("latin1"), shownAs);
  const body = bytes.subarray(end + length);
  return { headers, body: isChunked(headers) ? (joinChunks(body) ?? body) : body };
}

/** Where the head ends, and how many bytes of line ends follow it. */
function findHeadEnd(bytes: Buffer): [offset: number, length: number] {
  const ends = ["\r\n\r\n", "\n\n"].map((mark) => [bytes.indexOf(mark), mark.length] as const);
  const [first] = ends.filter(([at]) => at >= 0).sort(([a], [b]) => a - b);
  return first ? [first[0], first[1]] : [bytes.length, 0];
}

const isChunked = (headers: readonly HeaderPair[]): boolean =>
  headers.some(([name, value]) => name.toLowerCase() === "transfer-encoding" && /\bchunked\b/i.test(value));

/** The body behind chunked framing (RFC 9112 §7.1); null where it is framed no longer, as most tools save it. */
function joinChunks(framed: Buffer): Buffer | null {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = framed.indexOf("\r\n", at);
    const [, size] =
      /^([0-9a-fA-F]{1,8})(?:;.*)?$/.exec(framed.subarray(at, lineEnd).toString("latin1")) ?? [];
    if (lineEnd < 0 || size === undefined) return null;
    const length = Number.parseInt(size, 16);
    if (length === 0) return Buffer.concat(chunks);
    const start = lineEnd + 2;
    if (framed.subarray(start + length, start + length + 2).toString("latin1") !== "\r\n") return null;
    chunks.push(framed.subarray(start, start + length));
    at = start + length + 2;
  }
}
