import { ClaimsError } from "../../../domain/errors.ts";
import { valueAt } from "../../../domain/json.ts";

/** The rf8Review outcomes that `--fail-on` can name, the milder one first. */
export const FAILING_OUTCOMES = ["conditional", "declined"] as const;

export type FailingOutcome = (typeof FAILING_OUTCOMES)[number];

/** The failure that a report means under `--fail-on`; none without it, or where a service names no outcome. */
export function checkOutcome(report: unknown, failOn: FailingOutcome | undefined): ClaimsError | undefined {
  const outcome = valueAt(report, "rf8Review.outcome");
  const severity = (FAILING_OUTCOMES as readonly unknown[]).indexOf(outcome);
  if (failOn === undefined || severity < FAILING_OUTCOMES.indexOf(failOn)) return undefined;
  return new ClaimsError(
    "rejected",
    `outcome_${outcome}`,
    `the rf8Review outcome is ${outcome} (--fail-on ${failOn})`,
    { hint: "the report names the checks that did not pass" },
  );
}
