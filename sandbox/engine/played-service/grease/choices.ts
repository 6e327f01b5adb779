import { GREASE_DIMENSIONS, type GreaseDimension } from "../../../../src/contract/grease.ts";
import type { RandomSource } from "../../random.ts";

/**
 * What another service may do in each dimension. The sandbox's own way is not listed, so that an active dimension always
 * has an effect. These are not the client's lists: a shared bug would stay hidden.
 */
const VARIANTS = {
  /** With `Location`, a response without that header keeps `jobId`. */
  jobIdField: ["job_id", "id", "job.id", "Location"],
  stateName: ["complete", "succeeded", "success", "done"],
  unknownFields: ["added"],
  timestampFormat: ["seconds", "milliseconds", "rfc3339"],
  payloadForm: ["sorted", "reversed", "indented", "spaced", "newline"],
  /** The order of the items of a page. */
  listOrder: ["oldest-first", "unordered"],
  /** A bare array has its next page in `Link` alone. */
  listEnvelope: ["items", "results", "array"],
  /** Short pages, and cursors with `+/=&%`. */
  paging: ["short"],
  headerCase: ["lower", "upper", "mixed"],
  errorShape: ["error", "message", "errors", "text", "html"],
  successStatus: ["200"],
} as const satisfies Record<GreaseDimension, readonly string[]>;

/**
 * The name of the state before each of the names of success. The interface names neither (§3). A program that lists the words
 * for a running job has guessed the usual ones, so none of them is here.
 */
export const WORKING_STATES: Readonly<Record<(typeof VARIANTS)["stateName"][number], string>> = {
  complete: "assessing",
  succeeded: "screening",
  success: "working",
  done: "validating",
};

/** The chosen variant of each dimension; null where the sandbox behaves as without grease. */
export type GreaseChoices = {
  readonly [Dimension in GreaseDimension]: (typeof VARIANTS)[Dimension][number] | null;
};

export const NO_CHOICES = Object.fromEntries(GREASE_DIMENSIONS.map((name) => [name, null])) as GreaseChoices;

/** Each dimension draws from its own stream, so that a choice does not depend on the other dimensions. */
export function chooseVariants(dimensions: readonly GreaseDimension[], random: RandomSource): GreaseChoices {
  const chosen = GREASE_DIMENSIONS.map((dimension) => {
    if (!dimensions.includes(dimension)) return [dimension, null];
    const variants = VARIANTS[dimension];
    return [dimension, variants[Number.parseInt(random.hex(`grease_${dimension}`, 4), 16) % variants.length]];
  });
  return Object.fromEntries(chosen) as GreaseChoices;
}

export const describeVariations = (
  choices: GreaseChoices,
  dimensions: readonly GreaseDimension[],
): string[] =>
  dimensions.filter((dimension) => choices[dimension] !== null).map((name) => `${name}=${choices[name]}`);
