import type { LoggedRequest } from "../../../../../sandbox/index.ts";
import { command } from "../../../framework/command.ts";
import { controlPath, readControl, requireControl } from "../../../sandbox-control/control.ts";
import { sandboxNameOption } from "../options.ts";
import { requestArgument } from "./filter-options.ts";
import { renderRequest } from "./render-request.ts";

export const requestsShow = command({
  name: "requests show",
  summary: "show a request to a sandbox with its answer, and what became of it",
  remote: false,
  output: "record",
  arguments: [requestArgument],
  options: sandboxNameOption,
  examples: [
    "claims sandbox requests show 12",
    "claims sandbox requests show 12 --json | jq -r .responseBody.text",
  ],
  async run(context, { args, options }) {
    const control = await requireControl(context, options.name);
    const path = controlPath("requests", args.request);
    const entry = await readControl<LoggedRequest>(context, control, "number", "GET", path);
    return { kind: "record", id: String(entry.number), json: entry, blocks: renderRequest(entry) };
  },
});
