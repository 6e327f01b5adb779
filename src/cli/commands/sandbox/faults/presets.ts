import { FAULT_PRESETS } from "../../../../domain/faults/presets.ts";
import { command } from "../../../framework/command.ts";
import { toListOutput } from "../../../output/output.ts";

export const faultsPresets = command({
  name: "faults presets",
  prints: "FaultPresets",
  summary: "list the predefined fault rules",
  output: "list",
  quietPrints: "names",
  examples: ["claims sandbox faults presets", "claims sandbox faults presets -q"],
  run: async () =>
    toListOutput({
      items: Object.entries(FAULT_PRESETS).map(([name, preset]) => ({ name, ...preset })),
      columns: [
        { name: "name", isId: true },
        { name: "summary", title: "effect", canWrap: true },
        { name: "rule", isHidden: true, value: ({ rule }) => JSON.stringify(rule) },
      ],
      emptyMessage: "no preset",
    }),
});
