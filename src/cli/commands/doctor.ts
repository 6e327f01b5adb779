import { aggregateErrors } from "../framework/aggregate-errors.ts";
import { command } from "../framework/command.ts";
import { toListOutput } from "../output/output.ts";

export const doctor = command({
  name: "doctor",
  prints: "DoctorChecks",
  summary: "check this machine and the connection to the service for problems",
  remote: "reads",
  output: "list",
  quietPrints: "checks",
  examples: ["claims doctor", "claims doctor --json | jq '.[] | select(.status == \"fail\")'"],
  async run(context, call) {
    const { runChecks } = await import("../doctor/run-checks.ts");
    const { explainEndpoints } = await import("../records/disabled-endpoints.ts");
    const findings = await runChecks(context, call, explainEndpoints);
    const failures = findings.flatMap(({ failure }) => failure ?? []);
    return toListOutput({
      items: findings.map(({ failure: _, ...finding }) => finding),
      columns: [
        { name: "check" },
        { name: "status" },
        { name: "detail", canWrap: true },
        { name: "hint", isHidden: true },
      ],
      idOf: ({ check }) => check,
      emptyMessage: "nothing to check",
      notes: () =>
        findings.flatMap(({ check, detail, hint, failure }) =>
          // A single failure is printed as the error of the command.
          hint && !(failure && failures.length === 1) ? [`${check}: ${detail}; ${hint}`] : [],
        ),
      failure: () => aggregateErrors(failures, `${findings.length} checks`),
    });
  },
});
