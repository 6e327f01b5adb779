import { MAX_SELLER_NAME_LENGTH } from "../../../domain/diligence/seller-matcher.ts";
import { type ClaimsError, rejectedError, usageError } from "../../../domain/errors.ts";
import { valueAt } from "../../../domain/json.ts";
import type { ArgumentSpec } from "../../framework/command.ts";
import type { OptionSpecs } from "../../framework/options.ts";
import { parseDurationFlag } from "../../framework/values.ts";
import { onDuplicateOption } from "../../write-log/write-options.ts";

export const entryFileArgument = {
  name: "file",
  help: "CSV file of entries, or - for stdin",
} as const satisfies ArgumentSpec;

export const jobArgument = {
  name: "job",
  help: "job id, as submit prints it; - reads it from stdin",
  isOptional: true,
} as const satisfies ArgumentSpec;

export const jobArguments = {
  name: "jobs",
  help: "job ids, as submit prints them; - reads them from stdin, one a line",
  isVariadic: true,
  isOptional: true,
} as const satisfies ArgumentSpec;

/** In place of a job id. */
export const last = {
  last: { help: "use the last job that this machine submitted to this service" },
} as const satisfies OptionSpecs;

/** An unset variable of a script gives a blank name. */
export function parseSellerName(text: string): string {
  const problem =
    text.trim() === ""
      ? "is blank"
      : [...text].length > MAX_SELLER_NAME_LENGTH && `is longer than ${MAX_SELLER_NAME_LENGTH} characters`;
  if (!problem) return text;
  throw usageError("option_invalid", `the name of the seller ${problem}`, {
    hint: `give 1 to ${MAX_SELLER_NAME_LENGTH} characters`,
  });
}

/** Of the commands that a night job runs. */
export const retryForOption = {
  retryFor: {
    value: "duration",
    parse: parseDurationFlag,
    help: "wait so long in all, as in 2h, for a service that does not respond or asks for a pause",
  },
} as const satisfies OptionSpecs;

export const protestDocs = { help: "require protest documentation" } as const;

/** Of each command that submits. @param onDuplicate what happens without the option */
export const submissionOptions = (onDuplicate: string) =>
  ({
    check: {
      value: "mode",
      choices: ["strict"],
      help: "strict: exit 5 instead of a warning for what the assumed format refuses",
    },
    "no-check": { help: "send the file without a check" },
    jobIdPath: {
      value: "path",
      help: "path of the job id in the response, as in data.id",
      default: "the usual names",
    },
    contentKey: {
      conflicts: ["idempotencyKey"],
      help: "make the Idempotency-Key from seller, options and file, so that two machines make one job",
    },
    ...onDuplicateOption(onDuplicate),
  }) as const satisfies OptionSpecs;

/** The rf8Review outcomes that `--fail-on` can name, the milder one first. */
const FAILING_OUTCOMES = ["conditional", "declined"] as const;

export type FailingOutcome = (typeof FAILING_OUTCOMES)[number];

export const failOn = {
  failOn: {
    value: "outcome",
    choices: FAILING_OUTCOMES,
    help: "exit 5 if the rf8Review outcome is this or worse",
  },
} as const satisfies OptionSpecs;

export function checkOutcome(report: unknown, limit: FailingOutcome | undefined): ClaimsError | undefined {
  const severity = (FAILING_OUTCOMES as readonly unknown[]).indexOf(valueAt(report, "rf8Review.outcome"));
  const outcome = FAILING_OUTCOMES[severity];
  if (limit === undefined || outcome === undefined || severity < FAILING_OUTCOMES.indexOf(limit))
    return undefined;
  return rejectedError(`outcome_${outcome}`, `the rf8Review outcome is ${outcome} (--fail-on ${limit})`, {
    hint: "the report lists the checks that did not pass",
  });
}
