import type { Buffer } from "../buffer.ts";
import type { BaseString, Frame } from "./base-strings.ts";
import type { BodyVariants } from "./body-variants.ts";
import type { DecodedSignature } from "./decoded-signatures.ts";
import type { SecretVariants } from "./secrets.ts";
import type { SignedTimestamp } from "./timestamp-variants.ts";
import { memoize, type UndoneFault, type Variant, type Variants } from "./variants.ts";
import { COST, type WorkBudget } from "./work-budget.ts";

export interface SearchSpace {
  readonly bodies: BodyVariants;
  readonly secrets: SecretVariants;
  readonly timestamps: Variants<SignedTimestamp>;
  /** To try with no other fault of the inputs, because they are many. */
  readonly rareTimestamps: () => readonly Variant<SignedTimestamp>[];
  readonly bases: Variants<BaseString>;
}

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
  const frames = combineAllFrames(space);
  let tried = 0;
  for (let count = 0; count <= MAX_FAULTS; count += 1)
    for (const signature of signatures)
      for (const hypotheses of listHypotheses(signature, count, space, frames))
        for (const frame of hypotheses.frames)
          for (const secret of hypotheses.secrets)
            for (const body of hypotheses.bodies) {
              if (!work.trySpend(COST.hmac + body.value.length + secret.value.length))
                return { match: null, tried };
              tried += 1;
              const [before, after] = frame.value;
              if (!signature.matches(signature.digest(secret.value, [before, body.value, after]))) continue;
              const faults = [signature, frame, secret, body].flatMap((each) => each.faults);
              return { match: { body: body.value, faults }, tried };
            }
  return { match: null, tried };
}

type Frames = ReturnType<typeof combineAllFrames>;

/** Long lists are made when they are needed. */
const combineAllFrames = ({ timestamps, rareTimestamps, bases }: SearchSpace) => ({
  none: combineFrames(timestamps.none, bases.none),
  // First the timestamp: one that was misread must not be made up for by another base string.
  one: [...combineFrames(timestamps.one, bases.none), ...combineFrames(timestamps.none, bases.one)],
  two: memoize(() => combineFrames(timestamps.one, bases.one)),
  rare: memoize(() => combineFrames(rareTimestamps(), bases.none)),
});

/** Every combination; one of a base string without a timestamp only with the timestamp that was sent. */
const combineFrames = (
  timestamps: readonly Variant<SignedTimestamp>[],
  bases: readonly Variant<BaseString>[],
): readonly Variant<Frame>[] =>
  bases.flatMap((base) =>
    timestamps.flatMap((timestamp) => {
      if (base.value.usesTimestamp ? timestamp.value === null : timestamp.faults.length > 0) return [];
      const value = base.value.frame(timestamp.value ?? "");
      return [{ value, faults: [...base.faults, ...timestamp.faults] }];
    }),
  );

/** Lists of variants for the hypotheses with so many faults, those of the signature too: each takes one of each list. */
function* listHypotheses(
  signature: DecodedSignature,
  faultCount: number,
  { bodies, secrets }: SearchSpace,
  frames: Frames,
) {
  const right = { frames: frames.none, secrets: secrets.none, bodies: [bodies.original] };
  const count = faultCount - signature.faults.length;
  if (signature.hasFixedInputs) {
    // Such a digest is also made of another base string or timestamp, and has no other fault of the inputs.
    if (count === 0) yield* [right, { ...right, frames: frames.one }];
    return;
  }
  if (count === 0) yield right;
  if (count === 1) {
    yield { ...right, secrets: secrets.one };
    yield { ...right, frames: frames.one };
    for (const body of bodies.undoOneFault()) yield { ...right, bodies: [body] };
  }
  if (count === 2) {
    yield { ...right, frames: frames.one, secrets: secrets.one };
    yield { ...right, frames: frames.two() };
    yield { ...right, secrets: secrets.two() };
    yield { ...right, secrets: secrets.one, bodies: bodies.paired };
    yield { ...right, frames: frames.one, bodies: bodies.paired };
  }
  // A pair of frequent faults is likelier than one of thousands of rare ones.
  if (count > 0 && faultCount === MAX_FAULTS) yield { ...right, frames: frames.rare() };
  if (count === 2) for (const body of bodies.undoTwoFaults()) yield { ...right, bodies: [body] };
}
