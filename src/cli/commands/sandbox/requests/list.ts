import type { JournalEntry, JournalLine } from "../../../../../sandbox/index.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { command } from "../../../command.ts";
import type { Context } from "../../../context.ts";
import { type Control, controlLines, readControl, requireControl } from "../../../control.ts";
import type { GlobalOptions } from "../../../global-options.ts";
import { type Column, list, type Output } from "../../../output/output.ts";
import { say } from "../../../say.ts";
import { wholeNumber } from "../../../whole-number.ts";
import { sandboxName } from "../options.ts";
import { REQUEST_COLUMNS } from "./columns.ts";
import { queryOf, requestFilter } from "./options.ts";

/** Requests that a person looks through. */
const USUAL_LIMIT = 50;

export const requests = command({
  name: "requests",
  summary: "list the last requests to a sandbox, the newest last, or follow them",
  remote: false,
  answers: "list",
  options: {
    ...sandboxName,
    ...requestFilter,
    limit: {
      value: "n",
      parse: (text) => wholeNumber(text, { what: "a number of requests", least: 1, most: 100_000 }),
      help: `the latest that many (${USUAL_LIMIT}; with --follow none)`,
    },
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
    if (follow) requireEndless(context, global);
    const control = await requireControl(context, name);
    if (follow) return followed(context, control, queryOf({ ...filter, limit }, { follow: "true" }));
    const { data } = await readControl<{ data: readonly JournalEntry[] }>(
      context,
      control,
      "data",
      "GET",
      `/requests${queryOf({ ...filter, limit: limit ?? USUAL_LIMIT })}`,
    );
    const isFiltered = queryOf(filter) !== "";
    return list<JournalEntry>({
      items: data,
      columns: REQUEST_COLUMNS.map(measured),
      idOf: ({ number }) => String(number),
      empty: isFiltered ? "no request that is kept is like that" : "no request yet",
      notes: () => (data.length > 0 ? ["`claims sandbox requests show N` shows one with its answer"] : []),
    });
  },
});

/** A table that comes as a whole is as wide as what is in it. */
const measured = ({ width: _, ...column }: Column<JournalEntry>): Column<JournalEntry> => column;

const followed = (context: Context, control: Control, query: string): Output =>
  list<JournalEntry>({
    items: entries(context, control, query),
    columns: REQUEST_COLUMNS,
    idOf: ({ number }) => String(number),
    empty: "no request came",
  });

async function* entries(context: Context, control: Control, query: string): AsyncGenerator<JournalEntry> {
  for await (const text of controlLines(context, control, `/requests${query}`)) {
    const line = JSON.parse(text) as JournalLine;
    if ("dropped" in line)
      say(context, `${line.dropped} requests are left out: they came faster than they were read`);
    else yield line;
  }
}

/** What is printed when all has come would never be printed. */
function requireEndless({ stdout }: Context, { json, out, fields, ndjson, csv }: GlobalOptions): void {
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
