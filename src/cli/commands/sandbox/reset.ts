import { command } from "../../framework/command.ts";
import { requireControl } from "../../sandbox-control/control.ts";
import { sandboxNameOption } from "./options.ts";
import { restoreState } from "./snapshot/load.ts";

export const reset = command({
  name: "reset",
  summary: "put a sandbox back to its seeded state, or to a snapshot; its faults and its journal are cleared",
  remote: false,
  output: "record",
  options: { ...sandboxNameOption, to: { value: "snapshot", help: "its name (the seeded state)" } },
  examples: ["claims sandbox reset", "claims sandbox reset --to before"],
  async run(context, { options }) {
    const control = await requireControl(context, options.name);
    const { to } = options;
    const where = to === undefined ? "in its seeded state again" : `at the snapshot "${to}" again`;
    return restoreState(context, control, where, "POST", "/reset", { body: to === undefined ? {} : { to } });
  },
});
