import { isRecord } from "../../../../domain/json.ts";
import { tryParseJson } from "../../../connection/json-response.ts";
import { controlCommand } from "../../../sandbox-control/control-command.ts";
import { versionMismatchError } from "../../../sandbox-control/control-errors.ts";
import { filterOptions, limitOption, toQuery } from "./filter-options.ts";

/** The archive contains all stored bodies. */
const EXPORT_TIMEOUT_MS = 60_000;

export const requestsExport = controlCommand({
  name: "requests export",
  prints: "HttpArchive",
  summary: "print the requests to a sandbox as HAR, for the developer tools of browsers",
  output: "bytes",
  options: { ...filterOptions, limit: { ...limitOption, default: "all" } },
  examples: [
    "claims sandbox requests export --out run.har",
    "claims sandbox requests export --status 5xx | jq '.log.entries | length'",
  ],
  async run(control, { options }) {
    const response = await control.fetch("GET /requests/har", {
      query: toQuery(options),
      timeoutMs: EXPORT_TIMEOUT_MS,
    });
    const archive = tryParseJson(response);
    if (!isRecord(archive) || !("log" in archive)) throw versionMismatchError("expected an HTTP Archive");
    return { kind: "stream", body: [response.body, "\n"] };
  },
});
