import { command } from "../../../framework/command.ts";
import type { Card } from "../../../output/output.ts";
import { readControl, requireControl } from "../../../sandbox-control/control.ts";
import { sandboxNameOption } from "../options.ts";

/** The sandbox's clock, as the control API tells it. */
export interface ClockState {
  /** RFC 3339 */
  readonly now: string;
  readonly frozen: boolean;
}

export const clockShow = command({
  name: "clock show",
  summary: "show what time it is in a sandbox",
  remote: false,
  output: "record",
  options: sandboxNameOption,
  examples: ["claims sandbox clock show", "claims sandbox clock show --json | jq -r .now"],
  async run(context, { options }) {
    const control = await requireControl(context, options.name);
    const state = await readControl<ClockState>(context, control, "now", "GET", "/clock");
    return { kind: "record", id: state.now, json: state, blocks: [clockCard(state)] };
  },
});

export const clockCard = ({ now, frozen }: ClockState): Card => ({
  kind: "card",
  rows: [
    ["now", now],
    ["clock", frozen ? "frozen: only `claims sandbox clock advance` and `set` move it" : "running"],
  ],
});
