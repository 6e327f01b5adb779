import { command } from "../command.ts";
import { list } from "../output/output.ts";
import { worstOf } from "../worst.ts";

export const doctor = command({
  name: "doctor",
  summary: "look for what keeps commands from working, here and on the way to the service",
  remote: "reads",
  answers: "list",
  options: {},
  examples: ["claims doctor", "claims doctor --json | jq '.[] | select(.status == \"fail\")'"],
  async run(context, call) {
    const { examine } = await import("../doctor/index.ts");
    const findings = await examine(context, call);
    const failures = findings.flatMap(({ failure }) => failure ?? []);
    return list({
      items: findings.map(({ failure: _, ...finding }) => finding),
      columns: [
        { name: "check", of: ({ check }) => check },
        { name: "status", of: ({ status }) => status },
        { name: "detail", wraps: true, of: ({ detail }) => detail },
        { name: "hint", of: ({ hint }) => hint, hidden: true },
      ],
      idOf: ({ check }) => check,
      empty: "nothing to check",
      notes: () =>
        findings.flatMap(({ check, detail, hint, failure }) =>
          // The only failure is told as the error that follows.
          hint && !(failure && failures.length === 1) ? [`${check}: ${detail}; ${hint}`] : [],
        ),
      failure: () => worstOf(failures, `${findings.length} checks`),
    });
  },
});
