import { FAULT_PRESETS } from "../../../../domain/faults/presets.ts";
import { command } from "../../../framework/command.ts";
import { toListOutput } from "../../../output/output.ts";

/** A preset as the control API tells it too. */
interface Preset {
  readonly name: string;
  readonly summary: string;
  readonly rule: object;
}

export const faultsPresets = command({
  name: "faults presets",
  summary: "list the fault rules that have a name",
  remote: false,
  output: "list",
  options: {},
  examples: ["claims sandbox faults presets", "claims sandbox faults presets -q"],
  async run() {
    return toListOutput<Preset>({
      items: Object.entries(FAULT_PRESETS).map(([name, preset]) => ({ name, ...preset })),
      columns: [
        { name: "name", isId: true },
        { name: "summary", title: "what happens", canWrap: true },
        { name: "rule", isHidden: true, value: ({ rule }) => JSON.stringify(rule) },
      ],
      idOf: ({ name }) => name,
      emptyMessage: "there is none",
    });
  },
});
