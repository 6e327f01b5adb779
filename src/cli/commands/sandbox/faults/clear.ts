import { controlCommand } from "../../../sandbox-control/control-command.ts";
import { listRules } from "./list.ts";

export const faultsClear = controlCommand({
  name: "faults clear",
  prints: "FaultRules",
  summary: "delete a fault rule of a sandbox, or all of them, and list the remaining ones",
  output: "list",
  arguments: [{ name: "fault", help: "the number of a rule", default: "all rules", isOptional: true }],
  examples: ["claims sandbox faults clear", "claims sandbox faults clear 3"],
  run: async (control, { args: { fault: id } }) =>
    listRules(
      id === undefined
        ? await control.list("DELETE /faults")
        : await control.list("DELETE /faults/{id}", { params: { id } }),
    ),
});
