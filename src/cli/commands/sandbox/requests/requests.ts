import type { ActivityEvent, DroppedEvents, LoggedRequest } from "../../../../../sandbox/index.ts";
import { describeRequestNotes } from "../../../../contract/activity/describe-event.ts";
import { usageError } from "../../../../domain/errors.ts";
import { readLines } from "../../../../domain/text.ts";
import { formatTimeOfDay } from "../../../../domain/times.ts";
import type { Context } from "../../../context.ts";
import { findFiniteFormat, type GlobalOptions, SERVICE_OPTIONS } from "../../../framework/options.ts";
import { parseInteger } from "../../../framework/values.ts";
import { hiddenColumns, type ListColumn, toListOutput } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { type ControlClient, NO_TIMEOUT_MS } from "../../../sandbox-control/control.ts";
import { defineControlCommand } from "../../../sandbox-control/control-command.ts";
import { renderRequest } from "./render-request.ts";

const BRIEF_NOTE = { kind: "paragraph", isAdvice: true, lines: ["-v shows headers and bodies"] } as const;

const requestsShow = defineControlCommand({
  name: "requests show",
  prints: "GET /requests/{number}",
  summary: "show a request to a sandbox with its response",
  output: "record",
  arguments: [{ name: "request", help: "its number or its request id" }],
  options: {
    verbose: { ...SERVICE_OPTIONS.verbose, help: "also show the headers, and more of the bodies" },
  },
  examples: [
    "claims sandbox requests show 12",
    "claims sandbox requests show 12 --json | jq -r .responseBody.text",
  ],
  async run(context, { args, options }, control) {
    const request = await control.send("GET /requests/{number}", "number", {
      params: { number: args.request },
    });
    const isBrief = context.stdout.isTerminal && !options.verbose;
    const blocks = [...renderRequest(request, isBrief), ...(isBrief ? [BRIEF_NOTE] : [])];
    return { kind: "record", id: String(request.number), json: request, blocks };
  },
});

function parseStatus(text: string): string {
  if (/^[1-5](\d\d|xx)$/i.test(text)) return text;
  throw usageError("option_invalid", `"${text}" is not a status`, { hint: "write 404, or 4xx" });
}

const DEFAULT_LIMIT = 50;

const requests = defineControlCommand({
  name: "requests",
  prints: "GET /requests",
  summary: "list the latest requests to a sandbox, newest last",
  output: "list",
  options: {
    operation: { value: "operation", help: "only requests for this operation, as in diligence.submit" },
    status: { value: "status", parse: parseStatus, help: "only responses with this status: 404, or 4xx" },
    limit: {
      value: "n",
      parse: (text) => parseInteger(text, { what: "a number of requests", min: 1, max: 10_000 }),
      help: "the latest n",
      default: `${DEFAULT_LIMIT}`,
    },
    watch: {
      help: "print requests and delivery attempts as they end, until Ctrl-C; with --json, one line of JSON each",
    },
  },
  examples: [
    "claims sandbox requests",
    "claims sandbox requests --watch --status 4xx",
    "claims sandbox requests --operation diligence.submit --json | jq -r '.[].requestId'",
  ],
  async run(context, { options, global }, control) {
    const { operation, status, limit = DEFAULT_LIMIT, watch } = options;
    if (watch) refuseFiniteOptions(context, global, options.limit);
    if (watch) {
      const body = watchActivity(context, control, { operation, status }, global);
      // The renderer sanitizes what comes from requests.
      return { kind: "stream", body, ...(!global.json && !global.ndjson && { isForTerminal: true }) };
    }
    const items = await control.list("GET /requests", { query: { operation, status, limit } });
    return toListOutput({
      items,
      columns: REQUEST_COLUMNS,
      emptyMessage: operation || status ? "no logged request matches" : "no request yet",
      notes: () => (items.length > 0 ? ["`claims sandbox requests show N` shows one with its response"] : []),
    });
  },
});

function refuseFiniteOptions({ stdout }: Context, global: GlobalOptions, limit: number | undefined): void {
  const name = limit === undefined ? findFiniteFormat(stdout, { ...global, json: undefined }) : "limit";
  if (name === undefined) return;
  throw usageError("option_conflict", `--watch does not end, and excludes --${name}`, {
    hint: "leave it out; with --watch, --json prints one line of JSON for each",
  });
}

/** The first line, and those of what happened. */
type StreamedEvent = { readonly event: "ready"; readonly url: string } | ActivityEvent | DroppedEvents;

/** Prints the lines of the live log of a sandbox in another process; a filter leaves only requests. */
async function* watchActivity(
  context: Context,
  control: ControlClient,
  query: { readonly operation: string | undefined; readonly status: string | undefined },
  { json, ndjson }: GlobalOptions,
): AsyncGenerator<string> {
  const lines = readLines(control.stream("GET /activity", { query, timeoutMs: NO_TIMEOUT_MS }));
  if (json || ndjson) {
    for await (const line of lines) yield `${line}\n`;
    return;
  }
  const { createActivityRenderer } = await import("../../../output/activity-text.ts");
  const render = createActivityRenderer(context.stdout);
  for await (const line of lines) {
    const event = JSON.parse(line) as StreamedEvent;
    if ("event" in event && event.event === "ready")
      printMessage(context, `watching the sandbox at ${event.url}, until Ctrl-C`);
    else yield render(event);
  }
}

const REQUEST_COLUMNS: readonly ListColumn<LoggedRequest>[] = [
  { name: "number", title: "no.", align: "right", isId: true },
  {
    name: "at",
    title: "time (UTC)",
    isWhole: true,
    display: ({ at }) => formatTimeOfDay(at),
  },
  { name: "method" },
  { name: "target", title: "path" },
  { name: "status", align: "right" },
  {
    name: "durationMs",
    title: "ms",
    align: "right",
    isWhole: true,
    display: ({ durationMs }) => durationMs?.toFixed(durationMs < 100 ? 1 : 0) ?? null,
  },
  { name: "note", canWrap: true, value: (request) => describeRequestNotes(request).join("; ") },
  ...hiddenColumns("operation", "requestId"),
];

export const requestsCommands = [requests, requestsShow];
