import { controlCommand } from "../../../sandbox-control/control-command.ts";
import { requestArgument } from "./filter-options.ts";
import { renderRequest } from "./render-request.ts";

export const requestsShow = controlCommand({
  name: "requests show",
  prints: "LoggedRequest",
  summary: "show a request to a sandbox with its response",
  output: "record",
  arguments: [requestArgument],
  examples: [
    "claims sandbox requests show 12",
    "claims sandbox requests show 12 --json | jq -r .responseBody.text",
  ],
  async run(control, { args }) {
    const request = await control.send("GET /requests/{number}", "number", {
      params: { number: args.request },
    });
    return { kind: "record", id: String(request.number), json: request, blocks: renderRequest(request) };
  },
});
