import type { DiligenceReport } from "../../../domain/diligence/report.ts";
import { type ClaimsError, rejectedError, usageError } from "../../../domain/errors.ts";
import { valueAt } from "../../../domain/json.ts";
import { formatCount } from "../../../domain/numbers.ts";
import type { OptionSpecs } from "../../framework/options.ts";
import { parseInteger } from "../../framework/values.ts";

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

const REJECTED_LIMIT = { what: "a number of rejected entries", min: 1, max: 1_000_000 };

/** `rejected` is `rejected=1`. */
function parseCheckLimit(text: string): FailingOutcome | number {
  const outcome = FAILING_OUTCOMES.find((name) => name === text);
  if (outcome !== undefined) return outcome;
  const rejected = /^rejected(?:=(.*))?$/.exec(text);
  if (rejected) return parseInteger(rejected[1] ?? "1", REJECTED_LIMIT);
  throw usageError("option_invalid", `"${text}" is not a choice for --fail-on`, {
    hint: `use one of ${FAILING_OUTCOMES.join(", ")}, rejected, rejected=N`,
  });
}

export const failOnForCheck = {
  failOn: {
    value: "limit",
    parse: parseCheckLimit,
    help: "exit 5 if the rf8Review outcome is this or worse (conditional, declined), or if N entries or more are rejected (rejected=N; rejected is 1)",
  },
} as const satisfies OptionSpecs;

export function checkReport(
  report: DiligenceReport,
  limit: FailingOutcome | number | undefined,
): ClaimsError | undefined {
  if (typeof limit !== "number") return checkOutcome(report, limit);
  const { entriesRejected } = report.totals;
  if (entriesRejected < limit) return undefined;
  const message = `${formatCount(entriesRejected, "entry is", "entries are")} rejected (--fail-on rejected=${limit})`;
  return rejectedError("entries_rejected", message, { hint: "the report lists the rejected entries" });
}

export function checkOutcome(report: unknown, limit: FailingOutcome | undefined): ClaimsError | undefined {
  const severity = (FAILING_OUTCOMES as readonly unknown[]).indexOf(valueAt(report, "rf8Review.outcome"));
  const outcome = FAILING_OUTCOMES[severity];
  if (limit === undefined || outcome === undefined || severity < FAILING_OUTCOMES.indexOf(limit))
    return undefined;
  return rejectedError(`outcome_${outcome}`, `the rf8Review outcome is ${outcome} (--fail-on ${limit})`, {
    hint: "the report lists the checks that did not pass",
  });
}
