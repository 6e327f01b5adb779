import { FAULT_PRESETS } from "../../../../domain/faults/presets.ts";
import { command } from "../../../command.ts";
import { list } from "../../../output/output.ts";

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
  answers: "list",
  options: {},
  examples: ["claims sandbox faults presets", "claims sandbox faults presets -q"],
  async run() {
    return list<Preset>({
      items: Object.entries(FAULT_PRESETS).map(([name, preset]) => ({ name, ...preset })),
      columns: [
        { name: "name", isId: true, of: ({ name }) => name },
        { name: "summary", title: "what happens", wraps: true, of: ({ summary }) => summary },
        { name: "rule", hidden: true, of: ({ rule }) => JSON.stringify(rule) },
      ],
      idOf: ({ name }) => name,
      empty: "there is none",
    });
  },
});
