import { toFacts } from "../../../conformance/assess.ts";
import { RULES } from "../../../conformance/rules.ts";
import type { Output } from "../../output/output.ts";

export function listRules(): Output {
  const rules = RULES.map((rule) => ({
    ...toFacts(rule),
    scenarios: rule.scenarios === "any" ? null : rule.scenarios,
  }));
  return {
    kind: "record",
    json: { rules },
    blocks: [
      {
        kind: "table",
        section: "rule",
        title: "Rules: the program …",
        columns: ["rule", "basis", "title", "rests on"].map((name) => ({ name })),
        rows: rules.map(({ id, basis, title, statement }) => [
          id,
          basis,
          title,
          basis === "assumed" ? `assumed, because of ${statement}` : (statement ?? "good practice"),
        ]),
      },
    ],
  };
}
