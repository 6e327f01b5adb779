import { command } from "../../../framework/command.ts";
import { requireControl } from "../../../sandbox-control/control.ts";
import { sandboxNameOption } from "../options.ts";
import { listAdvance, moveClock } from "./advance.ts";

export const clockSet = command({
  name: "clock set",
  summary:
    "set a sandbox's clock forward at once; what falls due by that runs late, as after a machine's sleep",
  remote: false,
  output: "list",
  arguments: [{ name: "time", help: "RFC 3339, not before the clock's own" }],
  options: sandboxNameOption,
  examples: ["claims sandbox clock set 2026-12-01T09:00:00Z"],
  async run(context, { args, options }) {
    const control = await requireControl(context, options.name);
    return listAdvance(context, await moveClock(context, control, "/clock/set", args.time));
  },
});
