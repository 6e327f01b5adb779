import type { ServiceForm } from "../../../../contract/service-form/service-form.ts";
import { toCard, toTable } from "../../../output/create-blocks.ts";
import type { Block, Output } from "../../../output/output.ts";

/** How much there is evidence for, and what is open. */
export function renderForm(form: ServiceForm): Output {
  const { evidence, open = [], records = {}, operations = {} } = form;
  const findings = evidence?.findings ?? [];
  const rows = Object.values(records).flatMap(({ fields = {} }) => Object.keys(fields));
  return {
    kind: "record",
    json: form,
    blocks: [
      toCard(
        "service",
        {
          responses: (evidence?.responses ?? []).reduce((sum, each) => sum + each.count, 0),
          operations: Object.keys(operations).length,
          rows: rows.length,
          open: open.length,
          findings: findings.length,
        },
        { title: "What was learned of the service" },
      ),
      ...listTables("Contradicts the interface", ["operation", "subject", "seen", "statement"], findings),
      ...listTables("Open: no evidence, or several candidates", ["subject", "seen", "reason"], open),
    ],
  };
}

/** No table without items. */
const listTables = <T>(title: string, names: readonly (keyof T & string)[], items: readonly T[]): Block[] =>
  items.length > 0
    ? [toTable({ title, columns: names.map((name) => ({ name, canWrap: true })), items })]
    : [];
