import type { SandboxEndpoint } from "../../../../../sandbox/index.ts";
import { toCard } from "../../../output/create-blocks.ts";
import { controlCommand } from "../../../sandbox-control/control-command.ts";

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

export const endpointsEnable = statusCommand("enable", "active", "send events to an endpoint again");

export const endpointsDisable = statusCommand(
  "disable",
  "disabled",
  "send no events to an endpoint; its waiting deliveries fail when they are due",
);

export const endpointsRevoke = statusCommand("revoke", "revoked", "send no events to an endpoint ever again");
