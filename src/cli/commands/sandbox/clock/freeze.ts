import { command } from "../../../framework/command.ts";
import { readControl, requireControl } from "../../../sandbox-control/control.ts";
import { sandboxNameOption } from "../options.ts";
import { type ClockState, clockCard } from "./show.ts";

const clockSwitch = (verb: "freeze" | "unfreeze", summary: string, example: string) =>
  command({
    name: `clock ${verb}`,
    summary,
    remote: false,
    output: "record",
    options: sandboxNameOption,
    examples: [example],
    async run(context, { options }) {
      const control = await requireControl(context, options.name);
      const state = await readControl<ClockState>(context, control, "now", "POST", `/clock/${verb}`);
      return { kind: "record", id: state.now, json: state, blocks: [clockCard(state)] };
    },
  });

export const clockFreeze = clockSwitch(
  "freeze",
  "stop a sandbox's clock where it stands",
  "claims sandbox clock freeze",
);

export const clockUnfreeze = clockSwitch(
  "unfreeze",
  "let a sandbox's clock run on from where it stands",
  "claims sandbox clock unfreeze",
);
