import type { SandboxEndpoint } from "../../../../sandbox/index.ts";
import { hiddenColumns, toCard, toListOutput } from "../../output/output.ts";
import { controlCommand } from "../../sandbox-control/control-command.ts";

const endpointsList = controlCommand({
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

/** No route of the service changes the status of an endpoint (interface §3: transitions not shown). */
const statusCommand = (verb: string, status: SandboxEndpoint["status"], summary: string) =>
  controlCommand({
    name: `endpoints ${verb}`,
    prints: "SandboxEndpoint",
    summary,
    output: "record",
    arguments: [{ name: "endpoint", help: "its id" }],
    examples: [`claims sandbox endpoints ${verb} 5b1e…`],
    async run(control, { args }) {
      const endpoint = await control.send("POST /endpoints/{id}/status", "id", {
        params: { id: args.endpoint },
        body: { status },
      });
      const { id, label, url } = endpoint;
      return {
        kind: "record",
        id,
        json: endpoint,
        blocks: [toCard("endpoint", { id, label, url, status: endpoint.status })],
      };
    },
  });

export const endpointsCommands = [
  endpointsList,
  statusCommand("enable", "active", "send events to an endpoint again"),
  statusCommand(
    "disable",
    "disabled",
    "send no events to an endpoint; its waiting deliveries fail when they are due",
  ),
  statusCommand("revoke", "revoked", "send no events to an endpoint ever again"),
];
