import { controlCommand } from "../../../sandbox-control/control-command.ts";
import { renderClock } from "./show.ts";

const clockSwitch = (verb: "freeze" | "unfreeze", summary: string) =>
  controlCommand({
    name: `clock ${verb}`,
    prints: "SandboxClock",
    summary,
    output: "record",
    examples: [`claims sandbox clock ${verb}`],
    run: async (control) => renderClock(await control.send(`POST /clock/${verb}`, "now")),
  });

export const clockFreeze = clockSwitch("freeze", "stop a sandbox's clock");

export const clockUnfreeze = clockSwitch("unfreeze", "let a sandbox's clock run on");
