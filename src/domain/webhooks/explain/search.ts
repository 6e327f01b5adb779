import { createHmac } from "node:crypto";
import type { Buffer } from "../buffer.ts";
import type { BaseString } from "./base-strings.ts";
import type { BodyVariants } from "./body-variants.ts";
import type { DecodedSignature } from "./decoded-signatures.ts";
import type { HmacKey } from "./secret-variants.ts";
import type { SignedTimestamp } from "./timestamp-variants.ts";
import { costOf, type UndoneFault, type Variant, type VariantsByFaultCount } from "./variant.ts";
import { COST, type WorkBudget } from "./work-budget.ts";

/** What a signature may have been made of. */
export interface SearchSpace {
  readonly bodies: BodyVariants;
  readonly secrets: VariantsByFaultCount<HmacKey>;
  readonly timestamps: VariantsByFaultCount<SignedTimestamp>;
  readonly bases: VariantsByFaultCount<BaseString>;
}

/** One way the signature may have come about. */
interface Hypothesis {
  readonly body: Variant<Buffer>;
  readonly secret: Variant<HmacKey>;
  readonly timestamp: Variant<SignedTimestamp>;
  readonly base: Variant<BaseString>;
}

/** The hypothesis that fits. */
export interface Match {
  readonly body: Variant<Buffer>;
  /** Every fault in it: of the signature, base string, timestamp, secret and body. */
  readonly faults: readonly UndoneFault[];
}

/** What became of a search. */
export interface SearchResult {
  readonly found: Match | null;
  /** Hypotheses tried. */
  readonly tried: number;
}

const MAX_FAULTS = 2;

/** Fewest faults first, at most two at once, until one fits or the work is done. */
export function search(
  readings: readonly DecodedSignature[],
  dimensions: SearchSpace,
  work: WorkBudget,
): SearchResult {
  let tried = 0;
  for (let faults = 0; faults <= MAX_FAULTS; faults += 1) {
    for (const reading of readings.filter(({ faults: steps }) => steps.length <= faults)) {
      for (const hypothesis of generateHypotheses(dimensions, faults - reading.faults.length)) {
        if (!work.trySpend(costOfHmac(reading, hypothesis))) return { found: null, tried };
        tried += 1;
        if (!matches(reading, hypothesis)) continue;
        const { body, base, timestamp, secret } = hypothesis;
        const steps = [
          ...reading.faults,
          ...base.faults,
          ...timestamp.faults,
          ...secret.faults,
          ...body.faults,
        ];
        return { found: { body, faults: steps }, tried };
      }
    }
  }
  return { found: null, tried };
}

function costOfHmac({ algorithm }: DecodedSignature, { body, secret, timestamp }: Hypothesis): number {
  const bytes = body.value.length + secret.value.length + (timestamp.value?.length ?? 0);
  return COST.hmac + bytes * (algorithm === "sha512" ? COST.byteHashedWith512 : COST.byteHashed);
}

function matches(
  { algorithm, digest }: DecodedSignature,
  { body, secret, timestamp, base }: Hypothesis,
): boolean {
  const hmac = createHmac(algorithm, secret.value);
  for (const part of base.value.join(timestamp.value ?? "", body.value)) hmac.update(part);
  return hmac.digest().subarray(0, digest.length).equals(digest);
}

/** What one hypothesis each is made of: one of each list. */
interface VariantLists {
  readonly bodies: readonly Variant<Buffer>[];
  readonly secrets: readonly Variant<HmacKey>[];
  readonly timestamps: readonly Variant<SignedTimestamp>[];
  readonly bases: readonly Variant<BaseString>[];
}

/** How many faults fall to secret, timestamp and base string, where there are so many in all. */
const FAULT_SPLITS = [
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

function* generateHypotheses(dimensions: SearchSpace, faults: number): Generator<Hypothesis> {
  const { bodies } = dimensions;
  const given = listsForFaults(dimensions, faults, [bodies.original]);
  if (faults < MAX_FAULTS) yield* combineByCost(given);
  else yield* combineByCost([...given, ...listsForFaults(dimensions, 1, bodies.listKept())]);
  const bodyVariants = [[], bodies.undoOneFault(), bodies.undoTwoFaults()][faults] ?? [];
  for (const body of bodyVariants) yield* combineByCost(listsForFaults(dimensions, 0, [body]));
}

function listsForFaults(
  { secrets, timestamps, bases }: SearchSpace,
  faults: number,
  bodies: readonly Variant<Buffer>[],
): VariantLists[] {
  return (FAULT_SPLITS[faults] ?? []).map(([s, t, n]) => ({
    ...{ bodies, secrets: secrets[s](), timestamps: timestamps[t](), bases: bases[n]() },
  }));
}

/** Every combination, the commoner before the rarer: without a list of all, which would be long. */
function* combineByCost(all: readonly VariantLists[]): Generator<Hypothesis> {
  const grouped = all.map((each) => ({ ...each, bodies: groupByCost(each.bodies) }));
  const most = Math.max(...all.map(maxTotalCost));
  for (let cost = 0; cost <= most; cost += 1) {
    for (const { bodies, secrets, timestamps, bases } of grouped)
      for (const base of bases)
        for (const timestamp of timestamps) {
          if (base.value.usesTimestamp ? timestamp.value === null : timestamp.faults.length > 0) continue;
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

const maxTotalCost = ({ bodies, secrets, timestamps, bases }: VariantLists): number =>
  [bodies, secrets, timestamps, bases].reduce((sum, variants) => sum + maxCost(variants), 0);

const maxCost = (variants: readonly Variant<unknown>[]): number =>
  variants.reduce((most, variant) => Math.max(most, costOf(variant)), 0);
