import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { Buffer } from "../buffer.ts";
import type { BaseString } from "./base-strings.ts";
import type { BodyVariants } from "./body-variants.ts";
import type { DecodedSignature, Scheme } from "./decoded-signatures.ts";
import type { HmacKey } from "./secret-variants.ts";
import type { SignedTimestamp } from "./timestamp-variants.ts";
import { costOf, type UndoneFault, type Variant, type VariantsByFaultCount } from "./variants.ts";
import { COST, type WorkBudget } from "./work-budget.ts";

export interface SearchSpace {
  readonly bodies: BodyVariants;
  readonly secrets: VariantsByFaultCount<HmacKey>;
  readonly timestamps: VariantsByFaultCount<SignedTimestamp>;
  /** Timestamps to try with no other fault of the inputs. */
  readonly nearbyTimestamps: () => readonly Variant<SignedTimestamp>[];
  readonly bases: VariantsByFaultCount<BaseString>;
}

interface SignerInputs {
  readonly body: Buffer;
  readonly secret: HmacKey;
  readonly timestamp: SignedTimestamp;
  readonly base: BaseString;
}

type Hypothesis = { readonly [Name in keyof SignerInputs]: Variant<SignerInputs[Name]> };

export interface Match {
  readonly body: Buffer;
  /** All undone faults: of the signature, base string, timestamp, secret and body, in this order. */
  readonly faults: readonly UndoneFault[];
}

const MAX_FAULTS = 2;

/** Tries the fewest faults first, at most two at once, until one hypothesis matches or the budget is spent. */
export function search(
  signatures: readonly DecodedSignature[],
  space: SearchSpace,
  work: WorkBudget,
): { readonly match: Match | null; readonly tried: number } {
  let tried = 0;
  for (let count = 0; count <= MAX_FAULTS; count += 1) {
    for (const signature of signatures.filter((each) => isTriedWith(each, count))) {
      for (const hypothesis of generateHypotheses(space, count - signature.faults.length)) {
        if (!work.trySpend(costOfHmac(signature, hypothesis))) return { match: null, tried };
        tried += 1;
        if (!matches(signature, hypothesis)) continue;
        const { body, base, timestamp, secret } = hypothesis;
        const faults = [signature, base, timestamp, secret, body].flatMap((each) => each.faults);
        return { match: { body: body.value, faults }, tried };
      }
    }
  }
  return { match: null, tried };
}

/** A digest that is made in another way is tried with no other fault of the inputs. */
const isTriedWith = ({ scheme, faults }: DecodedSignature, count: number): boolean =>
  scheme === "hmac" ? faults.length <= count : faults.length === count;

function costOfHmac({ algorithm }: DecodedSignature, { body, secret, timestamp }: Hypothesis): number {
  const bytes = body.value.length + secret.value.length + (timestamp.value?.length ?? 0);
  return (
    COST.hmac +
    bytes * (algorithm === "sha384" || algorithm === "sha512" ? COST.byteHashedWith512 : COST.byteHashed)
  );
}

function matches(
  { algorithm, scheme, digits }: DecodedSignature,
  { body, secret, timestamp, base }: Hypothesis,
): boolean {
  const parts = base.value.join(timestamp.value ?? "", body.value);
  return computeDigest(algorithm, scheme, secret.value, parts).toString("hex").startsWith(digits);
}

function computeDigest(
  algorithm: DecodedSignature["algorithm"],
  scheme: Scheme,
  key: HmacKey,
  parts: readonly (string | Uint8Array)[],
): Buffer {
  const update = <T extends Hash | Hmac>(hash: T): T => {
    for (const part of parts) hash.update(part);
    return hash;
  };
  switch (scheme) {
    case "hmac":
      return update(createHmac(algorithm, key)).digest();
    case "no_key":
      return update(createHash(algorithm)).digest();
    case "no_hmac":
      return update(createHash(algorithm).update(key)).digest();
    case "swapped":
      return createHmac(algorithm, concatenate(parts)).update(key).digest();
    case "double_hmac":
      return createHmac(algorithm, key)
        .update(update(createHmac(algorithm, key)).digest("hex"))
        .digest();
  }
}

const concatenate = (parts: readonly (string | Uint8Array)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));

/** Each hypothesis takes one variant of each list. */
type VariantLists = { readonly [Name in keyof SignerInputs]: readonly Variant<SignerInputs[Name]>[] };

/** The ways to divide so many faults among secret, timestamp and base string. */
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

function* generateHypotheses(space: SearchSpace, count: number): Generator<Hypothesis> {
  const { bodies } = space;
  const withOriginal = listsForFaults(space, count, [bodies.original]);
  if (count < MAX_FAULTS) yield* combineByCost(withOriginal);
  else yield* combineByCost([...withOriginal, ...listsForFaults(space, 1, bodies.listKept())]);
  const variants = [[], bodies.undoOneFault(), bodies.undoTwoFaults()][count] ?? [];
  for (const body of variants) yield* combineByCost(listsForFaults(space, 0, [body]));
  if (count === 1)
    for (const lists of listsForFaults(space, 0, [bodies.original]))
      yield* combineByCost([{ ...lists, timestamp: space.nearbyTimestamps() }]);
}

const listsForFaults = (
  { secrets, timestamps, bases }: SearchSpace,
  count: number,
  bodies: readonly Variant<Buffer>[],
): VariantLists[] =>
  (FAULT_SPLITS[count] ?? []).map(([ofSecret, ofTimestamp, ofBase]) => ({
    body: bodies,
    secret: secrets[ofSecret](),
    timestamp: timestamps[ofTimestamp](),
    base: bases[ofBase](),
  }));

/** Yields every combination, frequent ones first, without a list of them all, which would be long. */
function* combineByCost(all: readonly VariantLists[]): Generator<Hypothesis> {
  const grouped = all.map((lists) => ({ ...lists, bodies: groupByCost(lists.body) }));
  const maxTotalCost = Math.max(
    ...all.map((lists) => Object.values(lists).reduce((sum, variants) => sum + maxCost(variants), 0)),
  );
  for (let cost = 0; cost <= maxTotalCost; cost += 1) {
    for (const { bodies, ...lists } of grouped)
      for (const base of lists.base)
        for (const timestamp of lists.timestamp) {
          if (base.value.usesTimestamp ? timestamp.value === null : timestamp.faults.length > 0) continue;
          for (const secret of lists.secret) {
            const rest = cost - costOf(base) - costOf(timestamp) - costOf(secret);
            for (const body of bodies.get(rest) ?? []) yield { body, secret, timestamp, base };
          }
        }
  }
}

function groupByCost<T>(variants: readonly Variant<T>[]): ReadonlyMap<number, readonly Variant<T>[]> {
  const groups = new Map<number, Variant<T>[]>();
  for (const variant of variants) {
    const group = groups.get(costOf(variant));
    if (group) group.push(variant);
    else groups.set(costOf(variant), [variant]);
  }
  return groups;
}

const maxCost = (variants: readonly Variant<unknown>[]): number =>
  variants.reduce((most, variant) => Math.max(most, costOf(variant)), 0);
