import { type ClaimsError, rejectedError } from "../../../domain/errors.ts";
import { valueAt } from "../../../domain/json.ts";
import type { OptionSpecs } from "../../framework/options.ts";

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

/** The failure that `--fail-on` makes of a report's outcome. */
export function checkOutcome(report: unknown, limit: FailingOutcome | undefined): ClaimsError | undefined {
  const severity = (FAILING_OUTCOMES as readonly unknown[]).indexOf(valueAt(report, "rf8Review.outcome"));
  const outcome = FAILING_OUTCOMES[severity];
  if (limit === undefined || outcome === undefined || severity < FAILING_OUTCOMES.indexOf(limit))
    return undefined;
  return rejectedError(`outcome_${outcome}`, `the rf8Review outcome is ${outcome} (--fail-on ${limit})`, {
    hint: "the report lists the checks that did not pass",
  });
}
