import { GREASE_DIMENSIONS, type GreaseDimension } from "../../../../src/contract/grease.ts";
import type { Mapping, Paging } from "../../../../src/contract/mapping/mapping.ts";
import { LIST_NAMES } from "../../../../src/contract/mapping/resources.ts";
import type { RandomSource } from "../../random.ts";

/** Everywhere else, the field refers to a job (interface §4). */
const RECORDS_OF_A_JOB = ["submitted.id", "job.id", "report.jobId", "dataset.jobId"];

const putJobId = (path: string): Mapping => Object.fromEntries(RECORDS_OF_A_JOB.map((key) => [key, path]));

/**
 * The interface names neither state (§3). A program that lists the words for a running job has guessed the usual ones, so none of
 * them is here.
 */
const nameStates = (processing: string, completed: string): Mapping => ({
  "job.words": { [completed]: "completed", [processing]: "processing" },
});

const putItems = (path: string, paging: Paging): Mapping => ({
  ...Object.fromEntries(LIST_NAMES.map((name) => [name, path])),
  paging,
});

/**
 * What another service may do in each dimension, each with its lines of a mapping; what has none is an effect on the wire. The
 * sandbox's own way is not listed, so that an active dimension always has an effect. These are not the client's lists: a shared
 * bug would stay hidden.
 */
const VARIANTS = {
  jobIdField: {
    job_id: putJobId("job_id"),
    id: putJobId("id"),
    "job.id": putJobId("job.id"),
    // A response without that header keeps `jobId`.
    Location: { "submitted.id": "header:Location" },
  },
  stateName: {
    complete: nameStates("assessing", "complete"),
    succeeded: nameStates("screening", "succeeded"),
    success: nameStates("working", "success"),
    done: nameStates("validating", "done"),
  },
  unknownFields: { added: {} },
  timestampFormat: { seconds: { times: "epoch-seconds" }, milliseconds: { times: "epoch-ms" }, rfc3339: {} },
  payloadForm: { reversed: {}, spaced: {}, newline: {} },
  /** The order of the items of a page. */
  listOrder: { "oldest-first": {}, unordered: {} },
  listEnvelope: {
    items: putItems("items", { next: "next_cursor", parameter: "cursor" }),
    results: putItems("results", { next: "next", parameter: "cursor" }),
    array: putItems("", "link"),
  },
  /** Short pages, and cursors with `+/=&%`. */
  paging: { short: {} },
  headerCase: { lower: {}, upper: {}, mixed: {} },
  errorShape: {
    error: { "error.code": "error.code", "error.message": "error.message" },
    message: { "error.message": "message" },
    errors: { "error.code": "errors[].code", "error.message": "errors[].message" },
    text: { "error.message": "" },
    html: { "error.message": "" },
  },
  successStatus: { "200": {} },
} as const satisfies Record<GreaseDimension, Readonly<Record<string, Mapping>>>;

/** The chosen variant of each dimension; null where the sandbox behaves as without grease. */
export type GreaseVariants = {
  readonly [Dimension in GreaseDimension]: keyof (typeof VARIANTS)[Dimension] | null;
};

export const NO_VARIANTS = Object.fromEntries(
  GREASE_DIMENSIONS.map((name) => [name, null]),
) as GreaseVariants;

/** Each dimension draws from its own stream, so that a choice does not depend on the other dimensions. */
export function chooseVariants(dimensions: readonly GreaseDimension[], random: RandomSource): GreaseVariants {
  const chosen = dimensions.map((dimension) => {
    const names = Object.keys(VARIANTS[dimension]);
    return [dimension, names[Number.parseInt(random.hex(`grease_${dimension}`, 4), 16) % names.length]];
  });
  return { ...NO_VARIANTS, ...Object.fromEntries(chosen) };
}

/** The lines of the chosen variant of one dimension. */
export function findVariantLines(dimension: GreaseDimension, variants: GreaseVariants): Mapping {
  const lines: Readonly<Record<string, Mapping>> = VARIANTS[dimension];
  return lines[variants[dimension] ?? ""] ?? {};
}

/** `dimension=variant` for each dimension that varies. */
export const describeVariants = (
  variants: GreaseVariants,
  dimensions: readonly GreaseDimension[] = GREASE_DIMENSIONS,
): string[] =>
  dimensions.filter((dimension) => variants[dimension] !== null).map((name) => `${name}=${variants[name]}`);
