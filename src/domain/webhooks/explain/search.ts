import { createHmac, type Hmac } from "node:crypto";
import { groupBy } from "../../group-by.ts";
import { Buffer } from "../buffer.ts";
import { type Bytes, hmacSha256 } from "../hmac.ts";
import type { BaseString } from "./base-strings.ts";
import type { BodyVariants } from "./body-variants.ts";
import type { DecodedSignature } from "./decoded-signatures.ts";
import type { SignedTimestamp } from "./timestamp-variants.ts";
import {
  createVariant,
  memoize,
  type UndoneFault,
  type Variant,
  type VariantsByFaultCount,
} from "./variants.ts";
import { COST, type WorkBudget } from "./work-budget.ts";

export interface SearchSpace {
  readonly bodies: BodyVariants;
  readonly secrets: VariantsByFaultCount<Bytes>;
  readonly timestamps: VariantsByFaultCount<SignedTimestamp>;
  /** To try with no other fault of the inputs, because they are many. */
  readonly rareTimestamps: () => readonly Variant<SignedTimestamp>[];
  readonly bases: VariantsByFaultCount<BaseString>;
}

/** What is hashed around the body. */
interface Frame {
  readonly before: string;
  readonly after: string;
  readonly timestampLength: number;
}

/** Returns true to end the search. A function in place of a generator, which would make two objects for each hypothesis. */
type Visit = (frame: Variant<Frame>, secret: Variant<Bytes>, body: Variant<Buffer>) => boolean;

export interface Match {
  readonly body: Buffer;
  /** All undone faults: of the signature, base string, timestamp, secret and body, in this order. */
  readonly faults: readonly UndoneFault[];
}

const MAX_FAULTS = 2;

/**
 * Tries the fewest faults first, but a rare one after pairs of frequent ones, at most two at once, until one hypothesis
 * matches or the budget is spent.
 */
export function search(
  signatures: readonly DecodedSignature[],
  space: SearchSpace,
  work: WorkBudget,
): { readonly match: Match | null; readonly tried: number } {
  const visitHypotheses = createVisitor(space);
  let tried = 0;
  let match: Match | null = null;
  for (let count = 0; count <= MAX_FAULTS; count += 1)
    for (const signature of signatures.filter((each) => isTriedWith(each, count))) {
      const costPerByte = signature.algorithm === "sha512" ? COST.byteHashedWith512 : COST.byteHashed;
      const visit: Visit = (frame, secret, body) => {
        const bytes = body.value.length + secret.value.length + frame.value.timestampLength;
        if (!work.trySpend(COST.hmac + bytes * costPerByte)) return true;
        tried += 1;
        if (!matches(signature, frame.value, secret.value, body.value)) return false;
        const faults = [signature, frame, secret, body].flatMap((each) => each.faults);
        match = { body: body.value, faults };
        return true;
      };
      if (visitHypotheses(count, signature, visit)) return { match, tried };
    }
  return { match, tried };
}

/** A digest that is made in another way is tried with no other fault of the inputs. */
const isTriedWith = ({ otherDigest, faults }: DecodedSignature, count: number): boolean =>
  otherDigest === undefined ? faults.length <= count : faults.length === count;

function matches(
  { algorithm, otherDigest, digits, isEnd, isUnpadded }: DecodedSignature,
  { before, after }: Frame,
  secret: Bytes,
  body: Buffer,
): boolean {
  const parts = [before, body, after];
  const digest = otherDigest
    ? otherDigest(secret, Buffer.concat([Buffer.from(before), body, Buffer.from(after)]))
    : algorithm === "sha256"
      ? hmacSha256(secret, parts)
      : parts.reduce<Hmac>((hmac, part) => hmac.update(part), createHmac(algorithm, secret)).digest("hex");
  if (isUnpadded) return digest.replace(/../g, (byte) => byte.replace(/^0/, "")) === digits;
  return isEnd ? digest.endsWith(digits) : digest.startsWith(digits);
}

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

/** Each hypothesis takes one variant of each list. */
interface VariantLists {
  readonly frames: readonly Variant<Frame>[];
  readonly secrets: readonly Variant<Bytes>[];
  readonly bodies: readonly Variant<Buffer>[];
}

/** Returns a function that visits the hypotheses with so many faults, those of the signature too, and whether one ended it. */
function createVisitor(space: SearchSpace) {
  const { bodies, secrets, timestamps, rareTimestamps, bases } = space;
  const frames = timestamps.map((ofTimestamp) =>
    bases.map((ofBase) => memoize(() => combineFrames(ofTimestamp(), ofBase()))),
  );
  const listFrames = (ofTimestamp: number, ofBase: number) => frames[ofTimestamp]?.[ofBase]?.() ?? [];

  const withoutFault = (): VariantLists => ({
    frames: listFrames(0, 0),
    secrets: secrets[0](),
    bodies: [bodies.original],
  });

  const withFaults = (count: number, ofBody: readonly Variant<Buffer>[]): VariantLists[] =>
    (FAULT_SPLITS[count] ?? []).map(([ofSecret, ofTimestamp, ofBase]) => ({
      frames: listFrames(ofTimestamp, ofBase),
      secrets: secrets[ofSecret](),
      bodies: ofBody,
    }));

  /** @param count of `faultCount`, those that the signature does not have */
  function* listRarer(faultCount: number, count: number): Generator<VariantLists> {
    if (count === 1) for (const body of bodies.undoOneFault()) yield { ...withoutFault(), bodies: [body] };
    // A pair of frequent faults is likelier than one of thousands of rare ones.
    if (count > 0 && faultCount === MAX_FAULTS)
      yield { ...withoutFault(), frames: combineFrames(rareTimestamps(), bases[0]()) };
    if (count === 2) for (const body of bodies.undoTwoFaults()) yield { ...withoutFault(), bodies: [body] };
  }

  return (faultCount: number, signature: DecodedSignature, visit: Visit): boolean => {
    // A digest of another kind is also made of another base string.
    if (signature.otherDigest)
      return visitAll({ ...withoutFault(), frames: [...listFrames(0, 0), ...listFrames(0, 1)] }, visit);
    const count = faultCount - signature.faults.length;
    const ofOriginal = withFaults(count, [bodies.original]);
    const ofKept = count < MAX_FAULTS ? [] : withFaults(1, bodies.kept);
    if (visitByCost([...ofOriginal, ...ofKept], visit)) return true;
    for (const lists of listRarer(faultCount, count)) if (visitAll(lists, visit)) return true;
    return false;
  };
}

/** Every combination; one of a base string without a timestamp only with the timestamp that was sent. */
const combineFrames = (
  timestamps: readonly Variant<SignedTimestamp>[],
  bases: readonly Variant<BaseString>[],
): readonly Variant<Frame>[] =>
  bases.flatMap((base) =>
    timestamps.flatMap((timestamp) => {
      if (base.value.usesTimestamp ? timestamp.value === null : timestamp.faults.length > 0) return [];
      const [before, after] = base.value.frame(timestamp.value ?? "");
      const value = { before, after, timestampLength: timestamp.value?.length ?? 0 };
      return [createVariant(value, [...base.faults, ...timestamp.faults])];
    }),
  );

/** Visits every combination in the order of the lists. */
const visitAll = ({ frames, secrets, bodies }: VariantLists, visit: Visit): boolean =>
  frames.some((frame) => secrets.some((secret) => bodies.some((body) => visit(frame, secret, body))));

/** Visits every combination, frequent ones first, without a list of them all, which would be long. */
function visitByCost(all: readonly VariantLists[], visit: Visit): boolean {
  const grouped = all.map((lists) => ({ ...lists, bodies: groupBy(lists.bodies, ({ cost }) => cost) }));
  const maxTotalCost = Math.max(
    ...all.map(({ frames, secrets, bodies }) => maxCost(frames) + maxCost(secrets) + maxCost(bodies)),
  );
  for (let cost = 0; cost <= maxTotalCost; cost += 1)
    for (const { frames, secrets, bodies } of grouped)
      for (const frame of frames)
        for (const secret of secrets)
          for (const body of bodies.get(cost - frame.cost - secret.cost) ?? [])
            if (visit(frame, secret, body)) return true;
  return false;
}

const maxCost = (variants: readonly Variant<unknown>[]): number =>
  variants.reduce((most, { cost }) => Math.max(most, cost), 0);
