import type { FaultRule } from "../../../../../sandbox/index.ts";
import { command } from "../../../framework/command.ts";
import { controlPath, readControlList, requireControl } from "../../../sandbox-control/control.ts";
import { sandboxNameOption } from "../options.ts";
import { listRules } from "./list.ts";

export const faultsClear = command({
  name: "faults clear",
  summary: "take away a fault rule of a sandbox, or all of them, and list what is left",
  remote: false,
  output: "list",
  arguments: [{ name: "fault", help: "the number of a rule; without it, all of them", isOptional: true }],
  options: sandboxNameOption,
  examples: ["claims sandbox faults clear", "claims sandbox faults clear 3"],
  async run(context, { args, options }) {
    const control = await requireControl(context, options.name);
    const path = args.fault === undefined ? "/faults" : controlPath("faults", args.fault);
    const rules = await readControlList<FaultRule>(context, control, "DELETE", path);
    return listRules(rules);
  },
});
