import { controlCommand } from "../../../sandbox-control/control-command.ts";
import { moveClock } from "./advance.ts";

export const clockSet = controlCommand({
  name: "clock set",
  prints: "SandboxTasks",
  summary:
    "set a sandbox's clock to a later time; the tasks due before it run late, as after a machine's sleep",
  output: "list",
  arguments: [{ name: "time", help: "RFC 3339, not before the clock's own" }],
  examples: ["claims sandbox clock set 2026-12-01T09:00:00Z"],
  run: (control, { args }, context) => moveClock(context, control, "POST /clock/set", args.time),
});
