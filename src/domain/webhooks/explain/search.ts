import { createHmac } from "node:crypto";
import type { Buffer } from "../buffer.ts";
import type { BaseString } from "./base-strings.ts";
import type { Key } from "./secrets.ts";
import type { Reading } from "./signatures.ts";
import type { Signed } from "./timestamps.ts";
import { costOf, type Depths, type Step, type Variant } from "./variant.ts";

/** What a signature may have been made of. */
export interface Dimensions {
  readonly bodies: Depths<Buffer>;
  readonly secrets: Depths<Key>;
  readonly timestamps: Depths<Signed>;
  readonly bases: Depths<BaseString>;
}

/** One way the signature may have come about. */
interface Hypothesis {
  readonly body: Variant<Buffer>;
  readonly secret: Variant<Key>;
  readonly timestamp: Variant<Signed>;
  readonly base: Variant<BaseString>;
  readonly cost: number;
}

/** The hypothesis that fits. */
export interface Found {
  readonly body: Variant<Buffer>;
  /** Every fault in it: of the signature, base string, timestamp, secret and body. */
  readonly steps: readonly Step[];
}

/** What became of a search. */
export interface Searched {
  readonly found: Found | null;
  /** Hypotheses tried. */
  readonly tried: number;
  /** Whether all there are were tried, or one fits. */
  readonly complete: boolean;
}

const MOST_FAULTS = 2;

/** Bytes to hash in a search, beyond which pairs of faults are left out; what one more hash costs whatever it hashes. */
const BUDGET = 400e6;
const OVERHEAD = 2_000;

/** Fewest faults first, at most two at once, the commoner first. */
export function search(readings: readonly Reading[], dimensions: Dimensions): Searched {
  const budget = { left: BUDGET };
  let tried = 0;
  for (let faults = 0; faults <= MOST_FAULTS; faults += 1) {
    for (const reading of readings.filter(({ steps }) => steps.length <= faults)) {
      for (const hypothesis of hypotheses(dimensions, faults - reading.steps.length)) {
        const { body, base, timestamp, secret } = hypothesis;
        budget.left -= body.value.length + OVERHEAD;
        if (faults === MOST_FAULTS && budget.left < 0) return { found: null, tried, complete: false };
        tried += 1;
        if (!fits(reading, hypothesis)) continue;
        const steps = [...reading.steps, ...base.steps, ...timestamp.steps, ...secret.steps, ...body.steps];
        return { found: { body, steps }, tried, complete: true };
      }
    }
  }
  return { found: null, tried, complete: true };
}

function fits({ algorithm, digest }: Reading, { body, secret, timestamp, base }: Hypothesis): boolean {
  const hmac = createHmac(algorithm, secret.value);
  for (const part of base.value.parts(timestamp.value ?? "", body.value)) hmac.update(part);
  return hmac.digest().subarray(0, digest.length).equals(digest);
}

/** How many faults fall to body, secret, timestamp and base string, where there are so many in all. */
const SHARES: readonly (readonly (readonly [number, number, number, number])[])[] = [
  [[0, 0, 0, 0]],
  [
    [1, 0, 0, 0],
    [0, 1, 0, 0],
    [0, 0, 1, 0],
    [0, 0, 0, 1],
  ],
  [
    [1, 1, 0, 0],
    [1, 0, 1, 0],
    [1, 0, 0, 1],
    [0, 1, 1, 0],
    [0, 1, 0, 1],
    [0, 0, 1, 1],
    [2, 0, 0, 0],
    [0, 2, 0, 0],
  ],
];

function hypotheses({ bodies, secrets, timestamps, bases }: Dimensions, faults: number): Hypothesis[] {
  const all: Hypothesis[] = [];
  for (const [b, s, t, n] of SHARES[faults] ?? []) {
    for (const base of bases[n] ?? [])
      for (const timestamp of timestamps[t] ?? []) {
        if (base.value.usesTimestamp ? timestamp.value === null : timestamp.steps.length > 0) continue;
        for (const secret of secrets[s] ?? [])
          for (const body of bodies[b] ?? []) {
            const cost = [body, secret, timestamp, base].reduce((sum, { steps }) => sum + costOf(steps), 0);
            all.push({ body, secret, timestamp, base, cost });
          }
      }
  }
  return all.sort((a, b) => a.cost - b.cost);
}
