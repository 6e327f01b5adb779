import type { ClockState } from "../../../../../sandbox/index.ts";
import { toCard } from "../../../output/create-blocks.ts";
import type { Card, Output } from "../../../output/output.ts";
import { controlCommand } from "../../../sandbox-control/control-command.ts";

export const clockShow = controlCommand({
  name: "clock show",
  prints: "SandboxClock",
  summary: "show the time of a sandbox",
  output: "record",
  examples: ["claims sandbox clock show", "claims sandbox clock show --json | jq -r .now"],
  run: async (control) => renderClock(await control.send("GET /clock", "now")),
});

export const renderClock = (clock: ClockState): Output => ({
  kind: "record",
  id: clock.now,
  json: clock,
  blocks: [clockCard(clock)],
});

export const clockCard = (clock: ClockState): Card =>
  toCard(
    "clock",
    {
      now: clock.now,
      clock: clock.frozen ? "frozen: only `claims sandbox clock advance` and `set` move it" : "running",
    },
    { record: { ...clock } },
  );
