/** "binary" is another name of Latin-1. */
export type Encoding = "utf8" | "binary" | "utf16le" | "latin1" | "hex" | "base64";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

/** Characters that String.fromCharCode takes at once. */
const MAX_ARGUMENTS = 8_192;

/** What the signature module uses of Node's Buffer, for a browser. */
export class BrowserBuffer extends Uint8Array {
  static override from(source: unknown, second?: unknown, length?: unknown): BrowserBuffer {
    if (typeof source === "string") return encode(source, (second ?? "utf8") as Encoding);
    if (ArrayBuffer.isView(source) || Array.isArray(source)) return copy(source as ArrayLike<number>);
    return new BrowserBuffer(source as ArrayBuffer, second as number, length as number);
  }

  static alloc(length: number): BrowserBuffer {
    return new BrowserBuffer(length);
  }

  static readonly allocUnsafe = BrowserBuffer.alloc;

  static concat(list: readonly Uint8Array[]): BrowserBuffer {
    const joined = new BrowserBuffer(list.reduce((sum, { length }) => sum + length, 0));
    let length = 0;
    for (const each of list) {
      joined.set(each, length);
      length += each.length;
    }
    return joined;
  }

  override toString(encoding: Encoding = "utf8", start = 0, end = this.length): string {
    const bytes = this.subarray(start, Math.min(end, this.length));
    switch (encoding) {
      case "utf8":
        return decoder.decode(bytes);
      case "latin1":
      case "binary":
        return joinCharacters(bytes);
      case "utf16le":
        return joinCharacters(new Uint16Array(copy(bytes.subarray(0, bytes.length & ~1)).buffer));
      case "hex":
        return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
      case "base64":
        return btoa(joinCharacters(bytes));
    }
  }

  equals(other: Uint8Array): boolean {
    return this.length === other.length && this.compare(other) === 0;
  }

  compare(
    target: Uint8Array,
    targetStart = 0,
    targetEnd = target.length,
    start = 0,
    end = this.length,
  ): number {
    const shared = Math.min(targetEnd - targetStart, end - start);
    for (let at = 0; at < shared; at += 1) {
      const difference = (this[start + at] as number) - (target[targetStart + at] as number);
      if (difference !== 0) return Math.sign(difference);
    }
    return Math.sign(end - start - (targetEnd - targetStart));
  }

  override indexOf(searched: number | string, from = 0): number {
    if (typeof searched === "number") return super.indexOf(searched, from);
    const bytes = encoder.encode(searched);
    const [first] = bytes;
    if (first === undefined) return from;
    for (let at = super.indexOf(first, from); at >= 0; at = super.indexOf(first, at + 1))
      if (bytes.every((byte, index) => this[at + index] === byte)) return at;
    return -1;
  }

  override includes(searched: number | string, from = 0): boolean {
    return this.indexOf(searched, from) >= 0;
  }

  /** Writes the bytes that fit, and returns their number. Called as Node's is: the offset may be left out. */
  write(text: string, ...where: [Encoding?] | [offset: number, encoding?: Encoding]): number {
    const [first, second] = where;
    const [offset, encoding] = typeof first === "number" ? [first, second] : [0, first];
    const bytes = encode(text, encoding ?? "utf8").subarray(0, this.length - offset);
    this.set(bytes, offset);
    return bytes.length;
  }

  swap16(): this {
    for (let at = 0; at + 1 < this.length; at += 2)
      [this[at], this[at + 1]] = [this[at + 1] as number, this[at] as number];
    return this;
  }
}

function copy(bytes: ArrayLike<number>): BrowserBuffer {
  const copied = new BrowserBuffer(bytes.length);
  copied.set(bytes);
  return copied;
}

function joinCharacters(units: Uint8Array | Uint16Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < units.length; at += MAX_ARGUMENTS)
    pieces.push(String.fromCharCode(...units.subarray(at, at + MAX_ARGUMENTS)));
  return pieces.join("");
}

function encode(text: string, encoding: Encoding): BrowserBuffer {
  switch (encoding) {
    case "utf8":
      return copy(encoder.encode(text));
    case "latin1":
    case "binary":
      return copy(unitsOf(text));
    case "utf16le":
      return new BrowserBuffer(unitsOf(text).buffer);
    case "hex":
      return copy(
        (/^(?:[0-9a-f]{2})*/i.exec(text)?.[0].match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)),
      );
    case "base64":
      return decodeBase64(text);
  }
}

const unitsOf = (text: string): Uint16Array<ArrayBuffer> =>
  Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));

/** Like Node's: of either alphabet, without what is not in it, up to the padding. */
function decodeBase64(text: string): BrowserBuffer {
  const [bare = ""] = text.split("=");
  const digits = bare
    .replace(/-/g, "+")
    .replace(/_/g, "/")
    .replace(/[^A-Za-z0-9+/]/g, "");
  return copy(unitsOf(atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits)));
}
