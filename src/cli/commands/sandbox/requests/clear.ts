import { printMessage } from "../../../output/stderr.ts";
import { controlCommand } from "../../../sandbox-control/control-command.ts";

export const requestsClear = controlCommand({
  name: "requests clear",
  summary: "clear the request log of a sandbox; the next request has number 1 again",
  output: "nothing",
  examples: ["claims sandbox requests clear"],
  async run(control, _, context) {
    await control.list("DELETE /requests");
    printMessage(context, "cleared the request log");
    return { kind: "nothing" };
  },
});
