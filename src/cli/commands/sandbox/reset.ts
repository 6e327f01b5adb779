import { controlCommand } from "../../sandbox-control/control-command.ts";
import { renderRestored, SNAPSHOT_TIMEOUT_MS } from "./snapshot/load.ts";

export const reset = controlCommand({
  name: "reset",
  prints: "RestoredSandbox",
  summary: "restore a sandbox's seeded state or a snapshot; clears its faults and its request log",
  output: "record",
  options: { to: { value: "snapshot", help: "its name", default: "the seeded state" } },
  examples: ["claims sandbox reset", "claims sandbox reset --to before"],
  async run(control, { options: { to } }, context) {
    const restored = await control.send("POST /reset", "clock", {
      body: to === undefined ? {} : { to },
      timeoutMs: SNAPSHOT_TIMEOUT_MS,
    });
    const source = to === undefined ? "the seeded state" : `snapshot "${to}"`;
    return renderRestored(context, control, source, restored);
  },
});
