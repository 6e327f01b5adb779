import { Buffer } from "node:buffer";
import type { LoggedRequest, RequestStreamLine } from "../../../../../sandbox/index.ts";
import { usageError } from "../../../../domain/errors.ts";
import { isRecord } from "../../../../domain/json.ts";
import { tryParseJson } from "../../../connection/json-response.ts";
import type { Context } from "../../../context.ts";
import { command } from "../../../framework/command.ts";
import type { GlobalOptions } from "../../../framework/options.ts";
import { toListOutput } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { type ControlClient, requireControl } from "../../../sandbox-control/control.ts";
import { sandboxNameOption } from "../../../sandbox-control/control-command.ts";
import { versionMismatchError } from "../../../sandbox-control/control-errors.ts";
import { followColumns, requestColumns } from "./columns.ts";
import { filterOptions, limitOption, toQuery } from "./filter-options.ts";

const DEFAULT_LIMIT = 50;

export const requests = command({
  name: "requests",
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
    const { name, follow, limit } = options;
    const { columns } = context.stdout;
    if (follow) {
      requireStreamableFormat(context, global);
      const control = await requireControl(context, name);
      return toListOutput({
        items: streamRequests(context, control, toQuery(options)),
        columns: followColumns(columns),
        emptyMessage: "no request",
      });
    }
    const control = await requireControl(context, name);
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

async function* streamRequests(
  context: Context,
  control: ControlClient,
  query: ReturnType<typeof toQuery>,
): AsyncGenerator<LoggedRequest> {
  for await (const text of control.lines("GET /requests", { query: { ...query, follow: "true" } })) {
    const line = tryParseJson({ body: Buffer.from(text) });
    if (!isRecord(line) || !("dropped" in line || "number" in line))
      throw versionMismatchError("expected a request of the request log");
    const parsed = line as unknown as RequestStreamLine;
    if ("dropped" in parsed)
      printMessage(
        context,
        `${parsed.dropped} requests are missing: they arrived faster than they were read`,
      );
    else yield parsed;
  }
}

/** Refuses the formats that print when the last item is known. */
function requireStreamableFormat({ stdout }: Context, global: GlobalOptions): void {
  const { json, out, ndjson, csv } = global;
  const fields = stdout.isTerminal && !ndjson && !csv ? global.fields : undefined;
  const [name] = Object.entries({ json, out, fields }).find(([, value]) => value !== undefined) ?? [];
  if (name === undefined) return;
  throw usageError("unbounded_output", `--follow does not end, so --${name} would never print`, {
    hint: "leave it out; --ndjson prints each request as JSON",
  });
}
