import type { SandboxEndpoint } from "../../../../../sandbox/index.ts";
import { command } from "../../../command.ts";
import { readControlList, requireControl } from "../../../control.ts";
import { list } from "../../../output/output.ts";
import { sandboxName } from "../options.ts";

export const endpointsList = command({
  name: "endpoints list",
  summary: "list a sandbox's webhook endpoints, of every partner, the newest first",
  remote: false,
  answers: "list",
  options: sandboxName,
  examples: ["claims sandbox endpoints list", "claims sandbox endpoints list --json | jq -r '.[].status'"],
  async run(context, { options }) {
    const control = await requireControl(context, options.name);
    const endpoints = await readControlList<SandboxEndpoint>(context, control, "GET", "/endpoints");
    return list<SandboxEndpoint>({
      items: endpoints,
      columns: [
        { name: "id", isId: true, of: ({ id }) => id },
        { name: "partner", align: "right", of: ({ partner }) => partner },
        { name: "status", of: ({ status }) => status },
        { name: "label", of: ({ label }) => label },
        { name: "environmentScope", title: "scope", of: ({ environmentScope }) => environmentScope },
        { name: "url", of: ({ url }) => url },
        { name: "secretPrefix", hidden: true, of: ({ secretPrefix }) => secretPrefix },
        { name: "subscribedEvents", hidden: true, of: ({ subscribedEvents }) => subscribedEvents },
      ],
      idOf: ({ id }) => id,
      empty: "there is no endpoint",
    });
  },
});
