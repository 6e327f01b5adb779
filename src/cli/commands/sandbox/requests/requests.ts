import type { LoggedRequest, RequestStreamLine } from "../../../../../sandbox/index.ts";
import { describeRequest, describeRequestNotes } from "../../../../domain/activity/describe-request.ts";
import { usageError } from "../../../../domain/errors.ts";
import { isRecord, parseJsonText } from "../../../../domain/json.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import type { Context } from "../../../context.ts";
import { command } from "../../../framework/command.ts";
import {
  findFiniteFormat,
  type GlobalOptions,
  type OptionSpecs,
  type OptionValues,
  sandboxNameOption,
} from "../../../framework/options.ts";
import { parseInteger } from "../../../framework/values.ts";
import { chooseFormat, shouldUseColour } from "../../../output/format.ts";
import { hiddenColumns, type ListColumn, toListOutput } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import {
  type ControlClient,
  requireControl,
  versionMismatchError,
} from "../../../sandbox-control/control.ts";
import { controlCommand } from "../../../sandbox-control/control-command.ts";
import { renderRequest } from "./render-request.ts";

const filterOptions = {
  operation: { value: "operation", help: "only requests for this operation, as in diligence.submit" },
  status: { value: "status", parse: parseStatus, help: "only responses with this status: 404, or 4xx" },
  method: { value: "method", help: "only requests with this method" },
  path: { value: "prefix", help: "only requests whose path starts with this" },
  since: {
    value: "number",
    parse: (text) => parseInteger(text, { what: "the number of a request", min: 0, max: 1e15 }),
    help: "only requests after the one of this number",
  },
  faulty: { help: "only requests that a fault was applied to" },
} as const satisfies OptionSpecs;

const limitOption = {
  value: "n",
  parse: (text: string) => parseInteger(text, { what: "a number of requests", min: 1, max: 100_000 }),
  help: "the latest n",
} as const;

const requestArgument = { name: "request", help: "its number or its request id" } as const;

const requestsClear = controlCommand({
  name: "requests clear",
  summary: "clear the request log of a sandbox; the next request has number 1 again",
  output: "nothing",
  examples: ["claims sandbox requests clear"],
  async run(control, _, context) {
    await control.list("DELETE /requests");
    printMessage(context, "cleared the request log");
    return { kind: "nothing" };
  },
});

const requestsShow = controlCommand({
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

type Filter = OptionValues<typeof filterOptions> & { readonly limit?: number | undefined };

const toQuery = ({ operation, status, method, path, since, faulty, limit }: Filter) => ({
  ...{ operation, status, method, path, since, limit },
  fault: faulty ? true : undefined,
});

function parseStatus(text: string): string {
  if (/^[1-5](\d\d|xx)$/i.test(text)) return text;
  throw usageError("option_invalid", `"${text}" is not a status`, { hint: "write 404, or 4xx" });
}

const DEFAULT_LIMIT = 50;

const requests = command({
  name: "requests",
  prints: "LoggedRequests",
  summary: "list the latest requests to a sandbox, newest last, or follow them",
  output: "list",
  options: {
    ...sandboxNameOption,
    ...filterOptions,
    limit: { ...limitOption, default: `${DEFAULT_LIMIT}; with --follow none` },
    follow: { help: "show each request as it ends, until Ctrl-C" },
  },
  examples: [
    "claims sandbox requests",
    "claims sandbox requests --status 4xx --limit 5",
    "claims sandbox requests --operation diligence.submit --json | jq -r '.[].requestId'",
    "claims sandbox requests --follow --ndjson | jq -c '[.number, .status, .target]'",
  ],
  async run(context, { options, global }) {
    const { follow, limit } = options;
    const { columns } = context.stdout;
    if (follow) {
      requireStreamableFormat(context, global);
      const control = await requireControl(context, options);
      const items = streamRequests(context, control, toQuery(options));
      if (context.stdout.isTerminal && chooseFormat(global) === "text" && !global.fields)
        return { kind: "stream", body: renderLines(context, items, global.color), isForTerminal: true };
      return toListOutput({
        items,
        columns: requestColumns(columns),
        isLive: true,
        emptyMessage: "no request",
      });
    }
    const control = await requireControl(context, options);
    const items = await control.list("GET /requests", {
      query: toQuery({ ...options, limit: limit ?? DEFAULT_LIMIT }),
    });
    const isFiltered = Object.values(toQuery({ ...options, limit: undefined })).some(Boolean);
    return toListOutput({
      items,
      columns: requestColumns(columns),
      emptyMessage: isFiltered ? "no logged request matches" : "no request yet",
      notes: () => (items.length > 0 ? ["`claims sandbox requests show N` shows one with its response"] : []),
    });
  },
});

async function* streamRequests(context: Context, control: ControlClient, query: ReturnType<typeof toQuery>) {
  for await (const text of control.lines("GET /requests", { query: { ...query, follow: "true" } })) {
    const line = parseJsonText(text);
    if (!isRecord(line) || !("dropped" in line || "number" in line))
      throw versionMismatchError("expected a request of the request log");
    const parsed = line as unknown as RequestStreamLine;
    if ("dropped" in parsed) {
      const missing = formatCount(parsed.dropped, "request");
      printMessage(context, `warning: ${missing} missing: more arrived than were read`);
    } else yield parsed;
  }
}

/** The lines of the live log of `claims sandbox up`. */
async function* renderLines(
  { env }: Context,
  items: AsyncIterable<LoggedRequest>,
  flag: boolean | undefined,
) {
  const { createActivityRenderer } = await import("../../../output/activity-text.ts");
  const render = createActivityRenderer(shouldUseColour({ flag, env, isTerminal: true }));
  for await (const request of items) yield render(describeRequest(request));
}

function requireStreamableFormat({ stdout }: Context, global: GlobalOptions): void {
  const name = findFiniteFormat(stdout, global);
  if (name === undefined) return;
  throw usageError("option_conflict", `--follow does not end, so --${name} would never print`, {
    hint: "leave it out; --ndjson prints each request as JSON",
  });
}

/** Characters of a line that has room for dates. */
const MIN_WIDTH_FOR_DATES = 100;

/** @param width characters of a line; 0 where that is unknown */
const requestColumns = (width: number): readonly ListColumn<LoggedRequest>[] => [
  { name: "number", title: "no.", align: "right", isId: true },
  {
    name: "at",
    title: "time",
    isWhole: true,
    display: ({ at }) => `${at.slice(width > 0 && width < MIN_WIDTH_FOR_DATES ? 11 : 0, 19)}Z`,
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

export const requestsCommands = [requests, requestsShow, requestsClear];
