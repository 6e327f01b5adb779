import type { ServiceForm } from "../../../../contract/service-form/service-form.ts";
import { toCard, toTable } from "../../../output/create-blocks.ts";
import type { Output } from "../../../output/output.ts";

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
      ...(findings.length > 0
        ? [
            toTable({
              title: "Contradicts the interface",
              columns: [
                { name: "operation" },
                { name: "subject", canWrap: true },
                { name: "seen", canWrap: true },
                { name: "statement", canWrap: true },
              ],
              items: findings,
            }),
          ]
        : []),
      ...(open.length > 0
        ? [
            toTable({
              title: "Open: no evidence, or several candidates",
              columns: [
                { name: "subject", canWrap: true },
                { name: "seen", canWrap: true },
                { name: "reason", canWrap: true },
              ],
              items: open,
            }),
          ]
        : []),
    ],
  };
}
