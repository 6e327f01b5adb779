import { Buffer } from "node:buffer";

/** The bytes of a part are not what its Content-Transfer-Encoding says. */
export class EncodingError extends Error {
  override readonly name = "EncodingError";
}

/** Decodes a part piece by piece: what a piece leaves open is decided by the next one. */
interface Decoder {
  decode(chunk: Buffer): Buffer;
  end(): void;
}

/** By the name of the encoding (RFC 2045 §6); null where the bytes stand for themselves (§6.2). */
const DECODERS: ReadonlyMap<string, (() => Decoder) | null> = new Map<string, (() => Decoder) | null>([
  ["7bit", null],
  ["8bit", null],
  ["binary", null],
  ["base64", () => new Base64Decoder()],
  ["quoted-printable", () => new QuotedPrintableDecoder()],
]);

export const TRANSFER_ENCODINGS: readonly string[] = [...DECODERS.keys()];

/**
 * The bytes that stand behind those of a part.
 *
 * @param encoding one of {@link TRANSFER_ENCODINGS}
 * @throws EncodingError
 */
export function decodeTransfer(source: AsyncIterable<Buffer>, encoding: string): AsyncIterable<Buffer> {
  const create = DECODERS.get(encoding);
  return create ? decodeAll(source, create()) : source;
}

async function* decodeAll(source: AsyncIterable<Buffer>, decoder: Decoder): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    const bytes = decoder.decode(chunk);
    if (bytes.length > 0) yield bytes;
  }
  decoder.end();
}

/** RFC 2045 §6.8. Buffer would leave out what is not base64: another file would be stored than was meant. */
class Base64Decoder implements Decoder {
  /** Fewer than four characters, the number that three bytes take. */
  #pending = "";
  #hasEnded = false;

  decode(chunk: Buffer): Buffer {
    const text = this.#pending + chunk.toString("latin1").replace(/[\t\n\r ]+/g, "");
    const whole = text.length - (text.length % 4);
    this.#pending = text.slice(whole);
    const groups = text.slice(0, whole);
    if (groups === "") return Buffer.alloc(0);
    if (this.#hasEnded || !/^[A-Za-z0-9+/]*={0,2}$/.test(groups)) throw invalidBase64();
    this.#hasEnded = groups.endsWith("=");
    return Buffer.from(groups, "base64");
  }

  end(): void {
    if (this.#pending !== "") throw invalidBase64();
  }
}

const invalidBase64 = () => new EncodingError("is not base64");

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const EQUALS = 0x3d;

/** Encoded lines have 76 characters at most (RFC 2045 §6.7 rule 5); what is held back of a line must have a bound. */
const MAX_HELD_SPACES = 1_000;

/** RFC 2045 §6.7. */
class QuotedPrintableDecoder implements Decoder {
  /** What the last character was part of: ordinary text, `=`, `=` and a digit, `=` and white space, or those and CR. */
  #state: "text" | "equals" | "digit" | "softBreak" | "softBreakCr" = "text";
  #digit = 0;
  /** White space that counts only if its line goes on behind it (rule 3). */
  #spaces: number[] = [];

  decode(chunk: Buffer): Buffer {
    const decoded = Buffer.allocUnsafe(chunk.length + this.#spaces.length);
    let length = 0;
    for (const byte of chunk) {
      if (this.#state !== "text") {
        const value = this.#readEscape(byte);
        if (value !== null) decoded[length++] = value;
      } else if (byte === SPACE || byte === TAB) {
        this.#spaces.push(byte);
        if (this.#spaces.length > MAX_HELD_SPACES) throw invalidQuotedPrintable();
      } else {
        if (this.#spaces.length > 0) {
          if (byte !== CR && byte !== LF) for (const space of this.#spaces) decoded[length++] = space;
          this.#spaces = [];
        }
        if (byte === EQUALS) this.#state = "equals";
        else decoded[length++] = byte;
      }
    }
    return decoded.subarray(0, length);
  }

  /** A last `=` is a soft line break, whose line break belongs to the boundary. */
  end(): void {
    if (this.#state === "digit") throw invalidQuotedPrintable();
  }

  /** The byte that an escape ends with; null where it goes on, or was a soft line break. */
  #readEscape(byte: number): number | null {
    const digit = this.#state === "equals" || this.#state === "digit" ? parseHexDigit(byte) : null;
    if (digit !== null && this.#state === "digit") {
      this.#state = "text";
      return this.#digit * 16 + digit;
    }
    if (digit !== null) {
      this.#state = "digit";
      this.#digit = digit;
    } else this.#state = this.#softBreak(byte);
    return null;
  }

  #softBreak(byte: number): "text" | "softBreak" | "softBreakCr" {
    if (this.#state === "digit") throw invalidQuotedPrintable();
    if (byte === LF) return "text";
    if (byte === CR && this.#state !== "softBreakCr") return "softBreakCr";
    if ((byte === SPACE || byte === TAB) && this.#state !== "softBreakCr") return "softBreak";
    throw invalidQuotedPrintable();
  }
}

const invalidQuotedPrintable = () => new EncodingError("is not quoted-printable");

/** Null for what is no hexadecimal digit; lower case is taken too (rule 1 of the notes on robustness). */
function parseHexDigit(byte: number): number | null {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte & ~0x20;
  return letter >= 0x41 && letter <= 0x46 ? letter - 0x37 : null;
}
