import type { SandboxEndpoint } from "../../../../../sandbox/index.ts";
import { command } from "../../../framework/command.ts";
import { controlPath, readControl, requireControl } from "../../../sandbox-control/control.ts";
import { sandboxNameOption } from "../options.ts";

/** No route of the service changes the status of an endpoint (interface §3: transitions not shown). */
const statusCommand = (
  verb: string,
  status: SandboxEndpoint["status"],
  { summary, example }: { readonly summary: string; readonly example: string },
) =>
  command({
    name: `endpoints ${verb}`,
    summary,
    remote: false,
    output: "record",
    arguments: [{ name: "endpoint", help: "its id" }],
    options: sandboxNameOption,
    examples: [example],
    async run(context, { args, options }) {
      const control = await requireControl(context, options.name);
      const path = controlPath("endpoints", args.endpoint, "status");
      const endpoint = await readControl<SandboxEndpoint>(context, control, "id", "POST", path, {
        body: { status },
      });
      return {
        kind: "record",
        id: endpoint.id,
        json: endpoint,
        blocks: [
          {
            kind: "card",
            rows: [
              ["endpoint", endpoint.id],
              ["label", endpoint.label],
              ["url", endpoint.url],
              ["status", endpoint.status],
            ],
          },
        ],
      };
    },
  });

export const endpointsEnable = statusCommand("enable", "active", {
  summary: "let an endpoint of a sandbox get events again",
  example: "claims sandbox endpoints enable 5b1e…",
});

export const endpointsDisable = statusCommand("disable", "disabled", {
  summary: "send an endpoint of a sandbox nothing; what waits for it fails when it is due",
  example: "claims sandbox endpoints disable 5b1e…",
});

export const endpointsRevoke = statusCommand("revoke", "revoked", {
  summary: "send an endpoint of a sandbox nothing any more; that is final",
  example: "claims sandbox endpoints revoke 5b1e…",
});
