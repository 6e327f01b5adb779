import { Buffer } from "node:buffer";
import { hmac } from "@noble/hashes/hmac.js";
import { md5, sha1 } from "@noble/hashes/legacy.js";
import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";

// What the signature module uses of node:crypto, for a browser: crypto.subtle is asynchronous, and missing in files.

type Data = string | Uint8Array;

const toBytes = (data: Data): Uint8Array => (typeof data === "string" ? Buffer.from(data) : data);

const ALGORITHMS = { md5, sha1, sha256, sha384, sha512 };

/** With the methods of node:crypto. */
class Hash {
  readonly #hash: { update(bytes: Uint8Array): unknown; digest(): Uint8Array };

  constructor(hash: { update(bytes: Uint8Array): unknown; digest(): Uint8Array }) {
    this.#hash = hash;
  }

  update(data: Data): this {
    this.#hash.update(toBytes(data));
    return this;
  }

  digest(): Buffer;
  digest(encoding: BufferEncoding): string;
  digest(encoding?: BufferEncoding): Buffer | string {
    const digest = Buffer.from(this.#hash.digest());
    return encoding === undefined ? digest : digest.toString(encoding);
  }
}

export const createHash = (name: string): Hash => new Hash(findAlgorithm(name).create());

export const hash = (name: string, data: Data, encoding: BufferEncoding): string =>
  createHash(name).update(data).digest(encoding);

export const createHmac = (name: string, key: Data): Hash =>
  new Hash(hmac.create(findAlgorithm(name), toBytes(key)));

function findAlgorithm(name: string): (typeof ALGORITHMS)[keyof typeof ALGORITHMS] {
  if (Object.hasOwn(ALGORITHMS, name)) return ALGORITHMS[name as keyof typeof ALGORITHMS];
  throw new TypeError(`no hash function ${name}`);
}

/** Not constant in time: the page compares only what its reader pasted. */
export function timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) throw new RangeError("different lengths");
  return one.every((byte, index) => byte === other[index]);
}
