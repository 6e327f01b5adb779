import { createHash, randomBytes } from "node:crypto";

/** Where ids and secrets come from; each purpose draws from a stream of its own. */
export interface RandomSource {
  /** The next `bytes` bytes for this purpose, as lower-case hex. */
  hex(purpose: string, bytes: number): string;
  /** The next id for this purpose, shaped like a version 4 UUID (RFC 9562 §5.4). */
  uuid(purpose: string): string;
}

/**
 * The same seed gives the same values in the same order (product.md, promise 5). A stream for each purpose keeps job
 * ids the same however many requests were made in between.
 */
export function seededRandom(seed: number): RandomSource {
  const counters = new Map<string, number>();
  return source((purpose, bytes) => {
    const count = counters.get(purpose) ?? 0;
    counters.set(purpose, count + 1);
    return createHash("sha256")
      .update(`${seed}/${purpose}/${count}`)
      .digest("hex")
      .slice(0, bytes * 2);
  });
}

/** For a sandbox that others can reach: nothing about it can be foretold. */
export function unguessableRandom(): RandomSource {
  return source((_purpose, bytes) => randomBytes(bytes).toString("hex"));
}

function source(hex: RandomSource["hex"]): RandomSource {
  return { hex, uuid: (purpose) => asUuid(hex(purpose, 16)) };
}

function asUuid(hex: string): string {
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
