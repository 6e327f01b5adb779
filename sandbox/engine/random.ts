import { Buffer } from "node:buffer";
import { createHmac, randomBytes } from "node:crypto";
import { RandomNumbers, type RandomState } from "../../src/domain/random-numbers.ts";

/** The source of ids and secrets. Each purpose draws from its own stream. */
export interface RandomSource {
  /** Returns the next `bytes` bytes (a multiple of 4) of a purpose in lower-case hex. */
  hex(purpose: string, bytes: number): string;
  /** Returns the next id of a purpose, in the form of a version 4 UUID (RFC 9562 §5.4). */
  uuid(purpose: string): string;
  reset(): void;
  /** Returns the positions of the streams, or null if they must stay unknown. */
  save(): SavedRandom | null;
  restore(saved: SavedRandom | null): void;
}

export interface SavedRandom {
  readonly seed: number;
  readonly streams: Readonly<Record<string, RandomState>>;
}

/** The same seed gives the same values (product.md, promise 5). With a stream per purpose, ids do not depend on each other. */
export function seededRandom(start: number): RandomSource {
  let seed = start;
  let streams = new Map<string, RandomNumbers>();
  return withUuid(
    (purpose, bytes) => {
      let stream = streams.get(purpose);
      if (!stream) {
        stream = RandomNumbers.fromKey(`${seed}/${purpose}`);
        streams.set(purpose, stream);
      }
      let text = "";
      for (let done = 0; done < bytes; done += 4) text += stream.next().toString(16).padStart(8, "0");
      return text;
    },
    {
      reset: () => {
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
    },
  );
}

/** For a sandbox that others can reach. After a reset it gives the same values again. */
export function unpredictableRandom(): RandomSource {
  const key = randomBytes(32);
  const drawn = new Map<string, number>();
  return withUuid(
    (purpose, bytes) => {
      const number = drawn.get(purpose) ?? 0;
      drawn.set(purpose, number + 1);
      const blocks = Array.from({ length: Math.ceil(bytes / 32) }, (_, block) =>
        createHmac("sha256", key).update(`${purpose}/${number}/${block}`).digest(),
      );
      return Buffer.concat(blocks).subarray(0, bytes).toString("hex");
    },
    { reset: () => drawn.clear(), save: () => null, restore: () => undefined },
  );
}

const UUID_VARIANTS = "89ab";

const withUuid = (
  hex: RandomSource["hex"],
  state: Pick<RandomSource, "reset" | "save" | "restore">,
): RandomSource => ({
  ...state,
  hex,
  uuid: (purpose) => {
    const digits = hex(purpose, 16);
    const variant = UUID_VARIANTS[Number.parseInt(digits.charAt(16), 16) & 0x3];
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`;
  },
});
