import { toFacts } from "../../../conformance/assess.ts";
import type { Rule } from "../../../conformance/rule.ts";
import { RULES } from "../../../conformance/rules.ts";
import { STATEMENTS } from "../../../contract/register.ts";
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

/** The statements for programs and about the service that no rule covers, by id. An assumed rule is about what one leaves open. */
function listUncoveredStatements(rules: readonly Rule[]) {
  const covered = new Set<string>(
    rules.flatMap(({ basis, statement }) => (basis === "assumed" ? [] : (statement ?? []))),
  );
  return Object.entries({ ...STATEMENTS.contract, ...STATEMENTS.client })
    .filter(([id]) => !covered.has(id))
    .map(([id, statement]) => ({ id, statement }));
}
