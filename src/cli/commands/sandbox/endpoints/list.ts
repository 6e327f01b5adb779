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
        { name: "id", isId: true, value: ({ id }) => id },
        { name: "partner", align: "right", value: ({ partner }) => partner },
        { name: "status", value: ({ status }) => status },
        { name: "label", value: ({ label }) => label },
        { name: "environmentScope", title: "scope", value: ({ environmentScope }) => environmentScope },
        { name: "url", value: ({ url }) => url },
        { name: "secretPrefix", isHidden: true, value: ({ secretPrefix }) => secretPrefix },
        { name: "subscribedEvents", isHidden: true, value: ({ subscribedEvents }) => subscribedEvents },
      ],
      idOf: ({ id }) => id,
      emptyMessage: "there is no endpoint",
    });
  },
});
