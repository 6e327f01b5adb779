import { createHmac } from "node:crypto";
import type { Buffer } from "../buffer.ts";
import type { BaseString } from "./base-strings.ts";
import type { BodyVariants } from "./bodies.ts";
import type { Key } from "./secrets.ts";
import type { Reading } from "./signatures.ts";
import type { Signed } from "./timestamps.ts";
import { costOf, type Depths, type Step, type Variant } from "./variant.ts";
import { COST, type Work } from "./work.ts";

/** What a signature may have been made of. */
export interface Dimensions {
  readonly bodies: BodyVariants;
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
}

const MAX_FAULTS = 2;

/** Fewest faults first, at most two at once, until one fits or the work is done. */
export function search(readings: readonly Reading[], dimensions: Dimensions, work: Work): Searched {
  let tried = 0;
  for (let faults = 0; faults <= MAX_FAULTS; faults += 1) {
    for (const reading of readings.filter(({ steps }) => steps.length <= faults)) {
      for (const hypothesis of hypotheses(dimensions, faults - reading.steps.length)) {
        if (!work.spend(costOfHmac(reading, hypothesis))) return { found: null, tried };
        tried += 1;
        if (!fits(reading, hypothesis)) continue;
        const { body, base, timestamp, secret } = hypothesis;
        const steps = [...reading.steps, ...base.steps, ...timestamp.steps, ...secret.steps, ...body.steps];
        return { found: { body, steps }, tried };
      }
    }
  }
  return { found: null, tried };
}

function costOfHmac({ algorithm }: Reading, { body, secret, timestamp }: Hypothesis): number {
  const bytes = body.value.length + secret.value.length + (timestamp.value?.length ?? 0);
  return COST.hmac + bytes * (algorithm === "sha512" ? COST.byteHashedWith512 : COST.byteHashed);
}

function fits({ algorithm, digest }: Reading, { body, secret, timestamp, base }: Hypothesis): boolean {
  const hmac = createHmac(algorithm, secret.value);
  for (const part of base.value.parts(timestamp.value ?? "", body.value)) hmac.update(part);
  return hmac.digest().subarray(0, digest.length).equals(digest);
}

/** What one hypothesis each is made of: one of each list. */
interface Lists {
  readonly bodies: readonly Variant<Buffer>[];
  readonly secrets: readonly Variant<Key>[];
  readonly timestamps: readonly Variant<Signed>[];
  readonly bases: readonly Variant<BaseString>[];
}

/** How many faults fall to secret, timestamp and base string, where there are so many in all. */
const SHARES = [
  [[0, 0, 0]],
  [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  [
    [1, 1, 0],
    [1, 0, 1],
    [0, 1, 1],
    [2, 0, 0],
  ],
] as const;

function* hypotheses(dimensions: Dimensions, faults: number): Generator<Hypothesis> {
  const { bodies } = dimensions;
  const given = lists(dimensions, faults, [bodies.asGiven]);
  if (faults < MAX_FAULTS) yield* byCost(given);
  else yield* byCost([...given, ...lists(dimensions, 1, bodies.listKept())]);
  const bodyVariants = [[], bodies.undoOneFault(), bodies.undoTwoFaults()][faults] ?? [];
  for (const body of bodyVariants) yield* byCost(lists(dimensions, 0, [body]));
}

function lists(
  { secrets, timestamps, bases }: Dimensions,
  faults: number,
  bodies: readonly Variant<Buffer>[],
): Lists[] {
  return (SHARES[faults] ?? []).map(([s, t, n]) => ({
    ...{ bodies, secrets: secrets[s](), timestamps: timestamps[t](), bases: bases[n]() },
  }));
}

/** Every combination, the commoner before the rarer: without a list of all, which would be long. */
function* byCost(all: readonly Lists[]): Generator<Hypothesis> {
  const grouped = all.map((each) => ({ ...each, bodies: groupByCost(each.bodies) }));
  const most = Math.max(...all.map(highestCost));
  for (let cost = 0; cost <= most; cost += 1) {
    for (const { bodies, secrets, timestamps, bases } of grouped)
      for (const base of bases)
        for (const timestamp of timestamps) {
          if (base.value.usesTimestamp ? timestamp.value === null : timestamp.steps.length > 0) continue;
          for (const secret of secrets) {
            const rest = cost - costOf(base) - costOf(timestamp) - costOf(secret);
            for (const body of bodies.get(rest) ?? []) yield { body, secret, timestamp, base };
          }
        }
  }
}

function groupByCost<T>(variants: readonly Variant<T>[]): ReadonlyMap<number, readonly Variant<T>[]> {
  const groups = new Map<number, Variant<T>[]>();
  for (const variant of variants) {
    const cost = costOf(variant);
    const group = groups.get(cost);
    if (group) group.push(variant);
    else groups.set(cost, [variant]);
  }
  return groups;
}

const highestCost = ({ bodies, secrets, timestamps, bases }: Lists): number =>
  [bodies, secrets, timestamps, bases].reduce((sum, variants) => sum + highest(variants), 0);

const highest = (variants: readonly Variant<unknown>[]): number =>
  variants.reduce((most, variant) => Math.max(most, costOf(variant)), 0);
