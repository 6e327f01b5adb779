import type { SandboxEndpoint } from "../../../../../sandbox/index.ts";
import { command } from "../../../framework/command.ts";
import { toListOutput } from "../../../output/output.ts";
import { readControlList, requireControl } from "../../../sandbox-control/control.ts";
import { sandboxNameOption } from "../options.ts";

export const endpointsList = command({
  name: "endpoints list",
  summary: "list a sandbox's webhook endpoints, of every partner, the newest first",
  remote: false,
  output: "list",
  options: sandboxNameOption,
  examples: ["claims sandbox endpoints list", "claims sandbox endpoints list --json | jq -r '.[].status'"],
  async run(context, { options }) {
    const control = await requireControl(context, options.name);
    const endpoints = await readControlList<SandboxEndpoint>(context, control, "GET", "/endpoints");
    return toListOutput<SandboxEndpoint>({
      items: endpoints,
      columns: [
        { name: "id", isId: true },
        { name: "partner", align: "right" },
        { name: "status" },
        { name: "label" },
        { name: "environmentScope", title: "scope" },
        { name: "url" },
        { name: "secretPrefix", isHidden: true },
        { name: "subscribedEvents", isHidden: true },
      ],
      idOf: ({ id }) => id,
      emptyMessage: "there is no endpoint",
    });
  },
});
