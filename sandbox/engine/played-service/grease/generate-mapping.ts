import type { GreaseDimension } from "../../../../src/contract/grease.ts";
import type { Mapping, Paging } from "../../../../src/contract/mapping/mapping.ts";
import { LIST_NAMES } from "../../../../src/contract/mapping/subjects.ts";
import { type GreaseChoices, WORKING_STATES } from "./choices.ts";

type Choice<D extends GreaseDimension> = NonNullable<GreaseChoices[D]>;

/** Everywhere else, the field refers to a job (interface §4). */
const RECORDS_OF_A_JOB = ["submitted.id", "job.id", "report.jobId", "dataset.jobId"];

/** A response without its id still has it in `Location`. */
const placeJobId = (choice: Choice<"jobIdField">): Mapping =>
  choice === "Location"
    ? { "submitted.id": "header:Location" }
    : Object.fromEntries(RECORDS_OF_A_JOB.map((key) => [key, choice]));

const nameStates = (choice: Choice<"stateName">): Mapping => ({
  "job.words": { [choice]: "completed", [WORKING_STATES[choice]]: "processing" },
});

/** The variants of a time that are no more than other digits are effects on the wire. */
const TIMES: Readonly<Record<Choice<"timestampFormat">, Mapping>> = {
  seconds: { times: "epoch-seconds" },
  milliseconds: { times: "epoch-ms" },
  rfc3339: {},
};

const PAGINGS: Readonly<Record<Choice<"listEnvelope">, Paging>> = {
  items: { next: "next_cursor", parameter: "cursor" },
  results: { next: "next", parameter: "cursor" },
  array: "link",
};

const wrapLists = (choice: Choice<"listEnvelope">): Mapping => ({
  ...Object.fromEntries(LIST_NAMES.map((name) => [name, choice === "array" ? "" : choice])),
  paging: PAGINGS[choice],
});

const ERRORS: Readonly<Record<Choice<"errorShape">, Mapping>> = {
  error: { "error.code": "error.code", "error.message": "error.message" },
  message: { "error.message": "message" },
  errors: { "error.code": "errors[].code", "error.message": "errors[].message" },
  text: { "error.message": "" },
  html: { "error.message": "" },
};

/** What the variants of a dimension make of the mapping. The other dimensions are effects on the wire. */
const PARTS: { readonly [D in GreaseDimension]?: (choice: Choice<D>) => Mapping } = {
  jobIdField: placeJobId,
  stateName: nameStates,
  timestampFormat: (choice) => TIMES[choice],
  listEnvelope: wrapLists,
  errorShape: (choice) => ERRORS[choice],
};

export const MAPPING_DIMENSIONS = Object.keys(PARTS) as readonly GreaseDimension[];

/** The mapping of the variant of one dimension. */
export function generatePart(dimension: GreaseDimension, choices: GreaseChoices): Mapping {
  const describe = PARTS[dimension] as ((choice: string) => Mapping) | undefined;
  const choice = choices[dimension];
  return choice === null || !describe ? {} : describe(choice);
}

export const generateMapping = (choices: GreaseChoices): Mapping =>
  Object.assign({}, ...MAPPING_DIMENSIONS.map((dimension) => generatePart(dimension, choices)));
