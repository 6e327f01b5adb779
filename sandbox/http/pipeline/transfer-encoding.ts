import { Buffer } from "node:buffer";

/** The bytes of a part are not in its Content-Transfer-Encoding. */
export class EncodingError extends Error {
  override readonly name = "EncodingError";
}

type Chunks = AsyncIterable<Buffer>;

/** By the name of the encoding (RFC 2045 §6): three of them change nothing (§6.2). */
const DECODERS: Readonly<Record<string, (source: Chunks) => Chunks>> = {
  "7bit": (source) => source,
  "8bit": (source) => source,
  binary: (source) => source,
  base64: decodeBase64,
  "quoted-printable": decodeQuotedPrintable,
};

export const TRANSFER_ENCODINGS: readonly string[] = Object.keys(DECODERS);

/**
 * Decodes a part while it arrives.
 *
 * @param encoding one of {@link TRANSFER_ENCODINGS}
 * @throws EncodingError
 */
export const decodeTransfer = (source: Chunks, encoding: string): Chunks =>
  DECODERS[encoding]?.(source) ?? source;

/** RFC 2045 §6.8. Buffer would skip what is not base64, and the sandbox would store another file than was sent. */
async function* decodeBase64(source: Chunks): Chunks {
  let pending = "";
  let hasEnded = false;
  for await (const chunk of source) {
    const text = pending + chunk.toString("latin1").replace(/[\t\n\r ]+/g, "");
    const groups = text.slice(0, text.length - (text.length % 4));
    pending = text.slice(groups.length);
    if (groups === "") continue;
    if (hasEnded || !/^[A-Za-z0-9+/]*={0,2}$/.test(groups)) throw new EncodingError("is not base64");
    hasEnded = groups.endsWith("=");
    yield Buffer.from(groups, "base64");
  }
  if (pending !== "") throw new EncodingError("is not base64");
}

/** Encoded lines have 76 characters at most (RFC 2045 §6.7 rule 5); the pending end of a chunk needs a bound. */
const MAX_PENDING_LENGTH = 1_000;

/** White space with the line end after it, which makes it padding (rule 3); an escape or a soft line break; a bad `=`. */
const ENCODED = /([ \t]+)([\r\n])?|=(?:([0-9A-F]{2})|[ \t]*\r?\n)|=/gi;

/** What may belong together with the next chunk. A run of white space is searched from its first character alone. */
const PENDING = /(?:(?<![ \t])[ \t]+|=[0-9A-F]?|=[ \t]+\r?|=\r)$/i;

/** RFC 2045 §6.7; lower-case digits are accepted too (rule 1 of the notes on robustness). */
async function* decodeQuotedPrintable(source: Chunks): Chunks {
  let pending = "";
  for await (const chunk of source) {
    const text = pending + chunk.toString("latin1");
    // A longer one is refused.
    pending = PENDING.exec(text.slice(-MAX_PENDING_LENGTH - 1))?.[0] ?? "";
    const decoded = text.slice(0, text.length - pending.length).replace(ENCODED, decodeMatch);
    if (pending.length > MAX_PENDING_LENGTH) throw new EncodingError("is not quoted-printable");
    if (decoded !== "") yield Buffer.from(decoded, "latin1");
  }
  // A last `=` is a soft line break, whose line break belongs to the boundary.
  if (/^=[0-9A-F]/i.test(pending)) throw new EncodingError("is not quoted-printable");
}

function decodeMatch(match: string, spaces?: string, lineEnd?: string, hex?: string): string {
  if (match === "=" || (spaces && spaces.length > MAX_PENDING_LENGTH))
    throw new EncodingError("is not quoted-printable");
  if (spaces) return lineEnd ?? spaces;
  return hex ? String.fromCharCode(Number.parseInt(hex, 16)) : "";
}
