import type { RuleFacts } from "../../../conformance/assess.ts";
import { RECEIVER_RULES } from "../../../conformance/receiver/rules.ts";
import { listUncoveredStatements } from "../../../conformance/report.ts";
import { RULES } from "../../../conformance/rules.ts";
import { statementText } from "../../../contract/labels.ts";
import type { Output } from "../../output/output.ts";

export function listRules(): Output {
  const rules = [
    ...RULES.map((rule) => toRow("program", rule, rule.scenarios)),
    ...RECEIVER_RULES.map((rule) => toRow("receiver", rule, rule.parts)),
  ];
  const uncovered = listUncoveredStatements([...RULES, ...RECEIVER_RULES]);
  const table = (subject: Subject) => {
    const own = rules.filter((rule) => rule.subject === subject);
    return {
      kind: "table",
      section: "rule",
      title: `Rules: the ${subject} …`,
      columns: ["rule", "basis", "title", "statement"].map((name) => ({ name })),
      rows: own.map(({ id, basis, title, statement }) => [id, basis, title, statement]),
    } as const;
  };
  return {
    kind: "record",
    json: { rules, uncovered },
    blocks: [
      table("program"),
      table("receiver"),
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

type Subject = "program" | "receiver";

const toRow = (
  subject: Subject,
  { id, basis, statement, title, fix }: RuleFacts,
  scenarios: readonly string[] | "any",
) => ({
  id,
  subject,
  basis,
  title,
  fix,
  statement: statement && statementText(statement),
  scenarios: scenarios === "any" ? null : scenarios,
});
