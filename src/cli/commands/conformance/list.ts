import { listUncoveredStatements } from "../../../conformance/report.ts";
import { RULES } from "../../../conformance/rules.ts";
import { statementText } from "../../../contract/labels.ts";
import type { Output } from "../../output/output.ts";

export function listRules(): Output {
  const rules = RULES.map(({ id, basis, statement, title, fix, scenarios }) => ({
    id,
    basis,
    statement: statement && statementText(statement),
    title,
    fix,
    scenarios: scenarios === "any" ? null : scenarios,
  }));
  const uncovered = listUncoveredStatements(RULES);
  return {
    kind: "record",
    json: { rules, uncovered },
    blocks: [
      {
        kind: "table",
        section: "rule",
        title: "Rules: the program …",
        columns: ["rule", "basis", "title", "statement"].map((name) => ({ name })),
        rows: rules.map(({ id, basis, title, statement }) => [id, basis, title, statement]),
      },
      {
        kind: "table",
        section: "uncovered",
        title: "Statements of the interface that no rule covers",
        columns: ["statement", "text"].map((name) => ({ name })),
        rows: uncovered.map(({ id, statement }) => [id, statement]),
      },
    ],
  };
}
