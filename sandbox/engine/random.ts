import { Buffer } from "node:buffer";
import { createHmac, randomBytes } from "node:crypto";
import { RandomNumbers, type RandomState } from "../../src/domain/random-numbers.ts";

/** Where ids and secrets come from; each purpose draws from a stream of its own. */
export interface RandomSource {
  /** The next `bytes` bytes (a multiple of 4) for this purpose, as lower-case hex. */
  hex(purpose: string, bytes: number): string;
  /** The next id for this purpose, shaped like a version 4 UUID (RFC 9562 §5.4). */
  uuid(purpose: string): string;
  /** Every stream begins anew. */
  restart(): void;
  /** How far every stream is, as JSON; null where nothing may be known of it. */
  save(): SavedRandom | null;
  /** Goes on from there; null changes nothing. */
  restore(saved: SavedRandom | null): void;
}

/** Where the streams of a seed are. */
export interface SavedRandom {
  readonly seed: number;
  readonly streams: Readonly<Record<string, RandomState>>;
}

/**
 * The same seed gives the same values in the same order (product.md, promise 5). A stream for each purpose keeps job
 * ids the same however many requests were made in between.
 */
export function seededRandom(start: number): RandomSource {
  let seed = start;
  let streams = new Map<string, RandomNumbers>();
  const streamFor = (purpose: string): RandomNumbers => {
    const known = streams.get(purpose);
    if (known) return known;
    const begun = RandomNumbers.fromKey(`${seed}/${purpose}`);
    streams.set(purpose, begun);
    return begun;
  };
  const hex = (purpose: string, bytes: number): string => {
    const stream = streamFor(purpose);
    let text = "";
    for (let done = 0; done < bytes; done += 4) text += stream.next().toString(16).padStart(8, "0");
    return text;
  };
  return {
    hex,
    uuid: (purpose) => toUuid(hex(purpose, 16)),
    restart: () => {
      seed = start;
      streams = new Map();
    },
    save: () => ({
      seed,
      streams: Object.fromEntries([...streams].map(([purpose, { state }]) => [purpose, state])),
    }),
    restore: (saved) => {
      if (!saved) return;
      seed = saved.seed;
      streams = new Map(
        Object.entries(saved.streams).map(([purpose, state]) => [purpose, new RandomNumbers(state)]),
      );
    },
  };
}

/** For a sandbox that others can reach: nothing about it can be foretold. Begun anew, it gives the same once more. */
export function unpredictableRandom(): RandomSource {
  const key = randomBytes(32);
  let drawn = new Map<string, number>();
  const hex = (purpose: string, bytes: number): string => {
    const number = drawn.get(purpose) ?? 0;
    drawn.set(purpose, number + 1);
    const blocks = Array.from({ length: Math.ceil(bytes / 32) }, (_, block) =>
      createHmac("sha256", key).update(`${purpose}/${number}/${block}`).digest(),
    );
    return Buffer.concat(blocks).subarray(0, bytes).toString("hex");
  };
  return {
    hex,
    uuid: (purpose) => toUuid(hex(purpose, 16)),
    restart: () => {
      drawn = new Map();
    },
    save: () => null,
    restore: () => undefined,
  };
}

const UUID_VARIANTS = "89ab";

function toUuid(hex: string): string {
  const variant = UUID_VARIANTS[Number.parseInt(hex.charAt(16), 16) & 0x3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
