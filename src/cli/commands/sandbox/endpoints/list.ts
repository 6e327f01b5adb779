import { hiddenColumns, toListOutput } from "../../../output/output.ts";
import { controlCommand } from "../../../sandbox-control/control-command.ts";

export const endpointsList = controlCommand({
  name: "endpoints list",
  prints: "SandboxEndpoints",
  summary: "list a sandbox's webhook endpoints of every partner, newest first",
  output: "list",
  examples: ["claims sandbox endpoints list", "claims sandbox endpoints list --json | jq -r '.[].status'"],
  run: async (control) =>
    toListOutput({
      items: await control.list("GET /endpoints"),
      columns: [
        { name: "id", isId: true },
        { name: "partner", align: "right" },
        { name: "status" },
        { name: "label" },
        { name: "environmentScope", title: "scope" },
        { name: "url" },
        ...hiddenColumns("secretPrefix", "subscribedEvents"),
      ],
      emptyMessage: "no endpoint",
    }),
});
