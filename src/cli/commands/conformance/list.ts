import { toFacts } from "../../../conformance/assess.ts";
import { listUncoveredStatements } from "../../../conformance/report.ts";
import { RULES } from "../../../conformance/rules.ts";
import type { Output } from "../../output/output.ts";

export function listRules({
  uncovered: isUncoveredShown = false,
}: {
  readonly uncovered?: boolean | undefined;
}): Output {
  const rules = RULES.map((rule) => ({
    ...toFacts(rule),
    scenarios: rule.scenarios === "any" ? null : rule.scenarios,
  }));
  const uncovered = isUncoveredShown ? listUncoveredStatements(RULES) : [];
  const toColumns = (...names: readonly string[]) => names.map((name) => ({ name }));
  return {
    kind: "record",
    json: { rules, ...(isUncoveredShown && { uncovered }) },
    blocks: [
      {
        kind: "table",
        section: "rule",
        title: "Rules: the program …",
        columns: toColumns("rule", "basis", "title", "rests on"),
        rows: rules.map(({ id, basis, title, statement }) => [
          id,
          basis,
          title,
          basis === "assumed" ? `assumed, because of ${statement}` : (statement ?? "good practice"),
        ]),
      },
      ...(isUncoveredShown
        ? [
            {
              kind: "table",
              section: "uncovered",
              title: "Statements of the interface that no rule for programs covers",
              columns: toColumns("statement", "text"),
              rows: uncovered.map(({ id, statement }) => [id, statement]),
            } as const,
          ]
        : []),
    ],
  };
}
