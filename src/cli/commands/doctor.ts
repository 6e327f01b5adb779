import { aggregateErrors } from "../framework/aggregate-errors.ts";
import { command } from "../framework/command.ts";
import { toListOutput } from "../output/output.ts";

export const doctor = command({
  name: "doctor",
  summary: "look for what keeps commands from working, here and on the way to the service",
  remote: "reads",
  output: "list",
  options: {},
  examples: ["claims doctor", "claims doctor --json | jq '.[] | select(.status == \"fail\")'"],
  async run(context, call) {
    const { runChecks: examine } = await import("../doctor/run-checks.ts");
    const findings = await examine(context, call);
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
          // The only failure is told as the error that follows.
          hint && !(failure && failures.length === 1) ? [`${check}: ${detail}; ${hint}`] : [],
        ),
      failure: () => aggregateErrors(failures, `${findings.length} checks`),
    });
  },
});
