import { BrowserBuffer, type Encoding } from "./bytes.ts";
import { ALGORITHMS, type Algorithm } from "./hashes.ts";

// What the signature module uses of node:crypto, for a browser: crypto.subtle is asynchronous, and missing in files.

type Data = string | Uint8Array;

const toBytes = (data: Data): Uint8Array => (typeof data === "string" ? BrowserBuffer.from(data) : data);

class Hash {
  readonly #algorithm: Algorithm;
  readonly #state: Int32Array;
  readonly #block: Uint8Array;
  /** Bytes so far; those of an unfinished block are in the block. */
  #length = 0;

  constructor(algorithm: Algorithm) {
    this.#algorithm = algorithm;
    this.#state = Int32Array.from(algorithm.initial);
    this.#block = new Uint8Array(algorithm.blockBytes);
  }

  update(data: Data): this {
    const bytes = toBytes(data);
    const { blockBytes, compress } = this.#algorithm;
    let filled = this.#length % blockBytes;
    this.#length += bytes.length;
    let at = 0;
    if (filled > 0) {
      const taken = bytes.subarray(0, blockBytes - filled);
      this.#block.set(taken, filled);
      filled += taken.length;
      at = taken.length;
      if (filled < blockBytes) return this;
      compress(this.#state, this.#block, 0);
    }
    for (; at + blockBytes <= bytes.length; at += blockBytes) compress(this.#state, bytes, at);
    this.#block.set(bytes.subarray(at));
    return this;
  }

  digest(): BrowserBuffer;
  digest(encoding: Encoding): string;
  digest(encoding?: Encoding): BrowserBuffer | string {
    const digest = this.#finish();
    return encoding === undefined ? digest : digest.toString(encoding);
  }

  /** Adds a bit, zeros, and the length in bits, up to the end of a block. */
  #finish(): BrowserBuffer {
    const { blockBytes, digestBytes, isLittleEndian } = this.#algorithm;
    const bits = this.#length * 8;
    const lengthBytes = blockBytes / 8;
    const used = (this.#length + 1 + lengthBytes) % blockBytes;
    const end = new Uint8Array(1 + lengthBytes + (used === 0 ? 0 : blockBytes - used));
    end[0] = 0x80;
    const view = new DataView(end.buffer);
    const [low, high] = isLittleEndian ? [end.length - 8, end.length - 4] : [end.length - 4, end.length - 8];
    view.setUint32(low, bits % 2 ** 32, isLittleEndian);
    view.setUint32(high, Math.floor(bits / 2 ** 32), isLittleEndian);
    this.update(end);
    const digest = new BrowserBuffer(4 * this.#state.length);
    const words = new DataView(digest.buffer);
    for (const [index, word] of this.#state.entries()) words.setInt32(4 * index, word, isLittleEndian);
    return digest.subarray(0, digestBytes) as BrowserBuffer;
  }
}

/** RFC 2104 */
class Hmac {
  readonly #inner: Hash;
  readonly #outer: Hash;

  constructor(algorithm: Algorithm, key: Data) {
    const bytes = toBytes(key);
    const short = bytes.length > algorithm.blockBytes ? new Hash(algorithm).update(bytes).digest() : bytes;
    const padded = new Uint8Array(algorithm.blockBytes);
    padded.set(short);
    this.#inner = new Hash(algorithm).update(padded.map((byte) => byte ^ 0x36));
    this.#outer = new Hash(algorithm).update(padded.map((byte) => byte ^ 0x5c));
  }

  update(data: Data): this {
    this.#inner.update(data);
    return this;
  }

  digest(): BrowserBuffer;
  digest(encoding: Encoding): string;
  digest(encoding?: Encoding): BrowserBuffer | string {
    const digest = this.#outer.update(this.#inner.digest()).digest();
    return encoding === undefined ? digest : digest.toString(encoding);
  }
}

export const createHash = (name: string): Hash => new Hash(findAlgorithm(name));

export const hash = (name: string, data: Data, encoding: Encoding): string =>
  createHash(name).update(data).digest(encoding);

export const createHmac = (name: string, key: Data): Hmac => new Hmac(findAlgorithm(name), key);

function findAlgorithm(name: string): Algorithm {
  const algorithm = ALGORITHMS[name];
  if (!algorithm) throw new TypeError(`no hash function ${name}`);
  return algorithm;
}

/** Not constant in time: the page compares only what its reader pasted. */
export function timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) throw new RangeError("different lengths");
  return one.every((byte, index) => byte === other[index]);
}
