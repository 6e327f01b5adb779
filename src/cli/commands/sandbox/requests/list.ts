import { Buffer } from "node:buffer";
import type { LoggedRequest, RequestStreamLine } from "../../../../../sandbox/index.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { isRecord } from "../../../../domain/json.ts";
import { tryParseJson } from "../../../connection/json-response.ts";
import type { Context } from "../../../context.ts";
import { command } from "../../../framework/command.ts";
import type { GlobalOptions } from "../../../framework/options.ts";
import { type Output, toListOutput } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import {
  type ControlTarget,
  readControlList,
  requireControl,
  streamControlLines,
} from "../../../sandbox-control/control.ts";
import { versionMismatchError } from "../../../sandbox-control/control-errors.ts";
import { sandboxNameOption } from "../options.ts";
import { followColumns, requestColumns } from "./columns.ts";
import { filterOptions, limitOption, toQuery } from "./filter-options.ts";

/** Requests that a person looks through. */
const DEFAULT_LIMIT = 50;

export const requests = command({
  name: "requests",
  summary: "list the last requests to a sandbox, the newest last, or follow them",
  remote: false,
  output: "list",
  options: {
    ...sandboxNameOption,
    ...filterOptions,
    limit: { ...limitOption, help: `${limitOption.help} (${DEFAULT_LIMIT}; with --follow none)` },
    follow: { help: "stay, and show each request as it ends, until Ctrl-C" },
  },
  examples: [
    "claims sandbox requests",
    "claims sandbox requests --status 4xx --limit 5",
    "claims sandbox requests --operation diligence.submit --json | jq -r '.[].requestId'",
    "claims sandbox requests --follow --ndjson | jq -c '[.number, .status, .target]'",
  ],
  async run(context, { options, global }) {
    const { name, follow, limit, ...filter } = options;
    if (follow) requireStreamableFormat(context, global);
    const control = await requireControl(context, name);
    if (follow) return followRequests(context, control, toQuery({ ...filter, limit }, { follow: "true" }));
    const entries = await readControlList<LoggedRequest>(
      context,
      control,
      "GET",
      `/requests${toQuery({ ...filter, limit: limit ?? DEFAULT_LIMIT })}`,
    );
    const isFiltered = toQuery(filter) !== "";
    return toListOutput<LoggedRequest>({
      items: entries,
      columns: requestColumns(context.stdout.columns),
      idOf: ({ number }) => String(number),
      emptyMessage: isFiltered ? "no request that is kept is like that" : "no request yet",
      notes: () => (entries.length > 0 ? ["`claims sandbox requests show N` shows one with its answer"] : []),
    });
  },
});

const followRequests = (context: Context, control: ControlTarget, query: string): Output =>
  toListOutput<LoggedRequest>({
    items: streamRequests(context, control, query),
    columns: followColumns(context.stdout.columns),
    idOf: ({ number }) => String(number),
    emptyMessage: "no request came",
  });

async function* streamRequests(
  context: Context,
  control: ControlTarget,
  query: string,
): AsyncGenerator<LoggedRequest> {
  for await (const text of streamControlLines(context, control, `/requests${query}`)) {
    const line = parseStreamLine(text);
    if ("dropped" in line)
      printMessage(context, `${line.dropped} requests are left out: they came faster than they were read`);
    else yield line;
  }
}

function parseStreamLine(text: string): RequestStreamLine {
  const line = tryParseJson({ body: Buffer.from(text) });
  if (isRecord(line) && ("dropped" in line || "number" in line)) return line as unknown as RequestStreamLine;
  throw versionMismatchError("what came is no request of a sandbox's journal");
}

/** What is printed when all has come would never be printed. */
function requireStreamableFormat(
  { stdout }: Context,
  { json, out, fields, ndjson, csv }: GlobalOptions,
): void {
  const chosen = stdout.isTerminal && !ndjson && !csv ? fields : undefined;
  const [name] = Object.entries({ json, out, fields: chosen }).find(([, is]) => is !== undefined) ?? [];
  if (name === undefined) return;
  throw new ClaimsError(
    "usage",
    "not_followed",
    `--follow never comes to an end, and so takes no --${name}`,
    {
      hint: "leave it out; --ndjson prints each request as JSON",
    },
  );
}
