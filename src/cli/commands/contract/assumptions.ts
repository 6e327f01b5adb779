import { command } from "../../framework/command.ts";
import { toListOutput } from "../../output/output.ts";

export const assumptions = command({
  name: "assumptions",
  prints: "Assumptions",
  summary: "list the assumptions of the sandbox and this client about what the interface leaves open",
  output: "list",
  quietPrints: "operations and subjects",
  examples: [
    "claims contract assumptions",
    "claims contract assumptions --ndjson | jq -c 'select(.operation == \"clients.list\")'",
  ],
  async run() {
    const { listAssumptions } = await import("../../../contract/assumptions.ts");
    return toListOutput({
      items: listAssumptions(),
      columns: [
        { name: "operation" },
        { name: "kind" },
        { name: "subject", canWrap: true },
        { name: "source", canWrap: true },
      ],
      idOf: ({ operation, subject }) => `${operation} ${subject}`,
      emptyMessage: "no assumptions",
    });
  },
});
