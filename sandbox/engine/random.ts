import { createHash, randomBytes } from "node:crypto";

/** Where ids and secrets come from; each purpose draws from a stream of its own. */
export interface RandomSource {
  /** The next `bytes` bytes (a multiple of 4) for this purpose, as lower-case hex. */
  hex(purpose: string, bytes: number): string;
  /** The next id for this purpose, shaped like a version 4 UUID (RFC 9562 §5.4). */
  uuid(purpose: string): string;
}

/**
 * The same seed gives the same values in the same order (product.md, promise 5). A stream for each purpose keeps job
 * ids the same however many requests were made in between.
 */
export function seededRandom(seed: number): RandomSource {
  const streams = new Map<string, () => number>();
  return source((purpose, bytes) => {
    const next = streams.get(purpose) ?? numbersFrom(`${seed}/${purpose}`);
    streams.set(purpose, next);
    let hex = "";
    for (let done = 0; done < bytes; done += 4) hex += next().toString(16).padStart(8, "0");
    return hex;
  });
}

/** For a sandbox that others can reach: nothing about it can be foretold. */
export function unguessableRandom(): RandomSource {
  return source((_purpose, bytes) => randomBytes(bytes).toString("hex"));
}

/**
 * An endless series of 32-bit numbers that follows from `key`. Chris Doty-Humphrey's sfc32 (PractRand): fast enough for an
 * id with every request.
 */
export function numbersFrom(key: string): () => number {
  const start = createHash("sha256").update(key).digest();
  let [a, b, c, counter] = [
    start.readInt32LE(0),
    start.readInt32LE(4),
    start.readInt32LE(8),
    start.readInt32LE(12),
  ];
  return () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
}

function source(hex: RandomSource["hex"]): RandomSource {
  return { hex, uuid: (purpose) => asUuid(hex(purpose, 16)) };
}

const VARIANT = "89ab";

function asUuid(hex: string): string {
  const variant = VARIANT[Number.parseInt(hex.charAt(16), 16) & 0x3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
