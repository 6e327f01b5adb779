import { command } from "../../../framework/command.ts";
import { printMessage } from "../../../output/stderr.ts";
import { readControlList, requireControl } from "../../../sandbox-control/control.ts";
import { sandboxNameOption } from "../options.ts";

export const requestsClear = command({
  name: "requests clear",
  summary: "forget the requests to a sandbox; the next one is number 1 again",
  remote: false,
  output: "nothing",
  options: sandboxNameOption,
  examples: ["claims sandbox requests clear"],
  async run(context, { options }) {
    const control = await requireControl(context, options.name);
    await readControlList(context, control, "DELETE", "/requests");
    printMessage(context, "the requests are forgotten");
    return { kind: "nothing" };
  },
});
