import { GREASE_DIMENSIONS, type GreaseDimension } from "../../../src/contract/grease.ts";
import type { RandomSource } from "../random.ts";

/**
 * What another service may do in each dimension; what the sandbox does ungreased is not among it, so that a dimension that is
 * switched on always bites. Not the client's lists: a shared bug would hide.
 */
const VARIANTS = {
  /** With `Location`, an answer without that header keeps `jobId`. */
  jobIdField: ["job_id", "id", "job.id", "Location"],
  stateName: ["complete", "succeeded", "success", "done"],
  unknownFields: ["added"],
  timestampFormat: ["seconds", "milliseconds", "rfc3339"],
  payloadForm: ["sorted", "reversed", "indented", "spaced", "newline"],
  /** Of each page. */
  listOrder: ["oldest-first", "unordered"],
  /** A bare array has its next page in `Link` alone. */
  listEnvelope: ["items", "results", "array"],
  headerCase: ["lower", "upper", "mixed"],
  errorShape: ["error", "message", "errors", "text", "html"],
  successStatus: ["200"],
} as const satisfies Record<GreaseDimension, readonly string[]>;

/** Of each dimension the variant that this service has; null where it is the usual one. */
export type GreaseChoices = {
  readonly [Dimension in GreaseDimension]: (typeof VARIANTS)[Dimension][number] | null;
};

/** Each choice is made once, from the seed, and from a stream of its own: a service is of one mind. */
export function chooseVariants(dimensions: readonly GreaseDimension[], random: RandomSource): GreaseChoices {
  const chosen = GREASE_DIMENSIONS.map((dimension) => {
    if (!dimensions.includes(dimension)) return [dimension, null];
    const variants = VARIANTS[dimension];
    return [dimension, variants[Number.parseInt(random.hex(`grease_${dimension}`, 4), 16) % variants.length]];
  });
  return Object.fromEntries(chosen) as GreaseChoices;
}

/** Of these dimensions those that vary, in words: `jobIdField=job_id`. */
export const describeVariations = (
  choices: GreaseChoices,
  ...dimensions: readonly GreaseDimension[]
): string[] =>
  dimensions.flatMap((dimension) =>
    choices[dimension] === null ? [] : [`${dimension}=${choices[dimension]}`],
  );
