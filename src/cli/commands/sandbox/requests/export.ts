import { isRecord } from "../../../../domain/json.ts";
import { tryParseJson } from "../../../connection/json-response.ts";
import { command } from "../../../framework/command.ts";
import { requireControl, sendControl } from "../../../sandbox-control/control.ts";
import { versionMismatchError } from "../../../sandbox-control/control-errors.ts";
import { sandboxNameOption } from "../options.ts";
import { filterOptions, limitOption, toQuery } from "./filter-options.ts";

/** Milliseconds for an archive of all bodies that are kept. */
const EXPORT_TIMEOUT_MS = 60_000;

export const requestsExport = command({
  name: "requests export",
  summary: "print the requests to a sandbox as a HAR, which the developer tools of browsers open",
  remote: false,
  output: "bytes",
  options: {
    ...sandboxNameOption,
    ...filterOptions,
    limit: { ...limitOption, help: `${limitOption.help} (all that are kept)` },
  },
  examples: [
    "claims sandbox requests export --out run.har",
    "claims sandbox requests export --status 5xx | jq '.log.entries | length'",
  ],
  async run(context, { options: { name, ...filter } }) {
    const control = await requireControl(context, name);
    const path = `/requests/har${toQuery(filter)}`;
    const answer = await sendControl(context, control, "GET", path, { timeoutMs: EXPORT_TIMEOUT_MS });
    const archive = tryParseJson(answer);
    if (!isRecord(archive) || !("log" in archive)) throw versionMismatchError("what came is no HTTP Archive");
    const { body } = answer;
    return { kind: "stream", body: [body, "\n"] };
  },
});
