import { findAlias } from "../../../../contract/aliases.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { readAliasLog } from "../../../connection/alias-log.ts";
import { findSunset } from "../../../connection/alias-sunset.ts";
import { readConfig } from "../../../connection/config-file.ts";
import type { Context } from "../../../context.ts";
import { openInput } from "../../../files/input-file.ts";
import { command } from "../../../framework/command.ts";
import { toListOutput } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { parseLogLine } from "./access-log.ts";

/** How often an alias was used, and where that is known from. */
interface AliasUsage {
  /** As the map has it, or as the service named it where the map has none. */
  readonly alias: string;
  readonly from: string;
  readonly uses: number;
  /** RFC 3339; null where the log does not say. */
  readonly lastUsedAt: string | null;
  readonly canonicalPath: string | null;
  readonly lifecycle: string | null;
  readonly sunset: string | null;
}

/** One use, wherever it was written down. */
type FoundUse = Pick<AliasUsage, "from" | "canonicalPath" | "lifecycle"> & {
  readonly path: string;
  readonly at: string | null;
};

export const audit = command({
  name: "audit",
  summary: "show which aliases were really used, by this machine or by an access log, and where to move",
  remote: false,
  output: "list",
  options: {
    accessLog: {
      value: "file",
      help: "look into an access log too, in common or combined format or as JSON lines",
    },
  },
  examples: ["claims aliases audit", "claims aliases audit --access-log access.log --csv"],
  async run(context, { options }) {
    const { sunsets } = await readConfig(context);
    const found = new Map<string, AliasUsage>();
    for await (const use of readAllUses(context, options.accessLog)) {
      const alias = findAlias(use.path);
      const name = alias?.path ?? use.path;
      const before = found.get(`${use.from} ${name}`);
      found.set(`${use.from} ${name}`, {
        ...{ alias: name, from: use.from, uses: (before?.uses ?? 0) + 1 },
        lastUsedAt: latest(before?.lastUsedAt ?? null, use.at),
        canonicalPath: alias?.canonicalPath ?? use.canonicalPath,
        lifecycle: alias?.lifecycle ?? use.lifecycle,
        sunset: alias ? findSunset(sunsets, alias) : null,
      });
    }
    const items = [...found.values()].sort((one, other) => other.uses - one.uses);
    return toListOutput<AliasUsage>({
      items,
      columns: [
        { name: "alias", isId: true },
        { name: "uses", align: "right" },
        {
          name: "lastUsedAt",
          title: "last used",
          display: ({ lastUsedAt }) => lastUsedAt?.slice(0, 10) ?? null,
        },
        {
          name: "canonicalPath",
          title: "canonical path",
          canWrap: true,
        },
        { name: "lifecycle" },
        { name: "sunset" },
        { name: "from" },
      ],
      idOf: ({ alias }) => alias,
      emptyMessage: "no alias was used",
      notes: () => missingSunsetNotes(items),
    });
  },
});

/** Every use, as it is read: an access log may be larger than memory. */
async function* readAllUses(context: Context, accessLog: string | undefined): AsyncGenerator<FoundUse> {
  for (const { alias, at, canonicalPath, lifecycle } of await readAliasLog(context))
    yield { path: alias, at, canonicalPath, lifecycle, from: "this machine" };
  if (accessLog === undefined) return;
  const from = accessLog === "-" ? "stdin" : accessLog;
  let lines = 0;
  let unread = 0;
  for await (const line of readLines(context, accessLog)) {
    const request = parseLogLine(line);
    lines += 1;
    if (request === null) unread += 1;
    else if (findAlias(request.path)) yield { ...request, from, canonicalPath: null, lifecycle: null };
  }
  if (unread > 0 && unread === lines) throw notAnAccessLogError(from, lines);
  if (unread > 0) printMessage(context, `${unread} of ${lines} lines of ${from} tell of no request`);
}

/** Characters of a line that are looked at; no request line is near it. */
const MAX_LINE_LENGTH = 1 << 16;

/** The lines of a file that are not blank. */
async function* readLines(context: Context, path: string): AsyncGenerator<string> {
  const file = await openInput(context, path);
  try {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const piece of file.chunks()) {
      const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
      rest = lines.pop()?.slice(0, MAX_LINE_LENGTH) ?? "";
      yield* lines.filter(isNotBlank);
    }
    yield* [rest].filter(isNotBlank);
  } finally {
    await file.close();
  }
}

const isNotBlank = (line: string): boolean => line.trim() !== "";

const notAnAccessLogError = (path: string, lines: number): ClaimsError =>
  new ClaimsError(
    "usage",
    "not_an_access_log",
    `${path} is no access log: none of its ${lines} lines tells of a request`,
    { hint: "give a log in common or combined format, or one of a JSON object a line; unpack it first" },
  );

const latest = (one: string | null, other: string | null): string | null =>
  one === null || (other !== null && other > one) ? other : one;

/** Interface §9.2: a migration-only alias is to be given a sunset date by whoever uses it. */
function missingSunsetNotes(items: readonly AliasUsage[]): string[] {
  const names = items
    .filter(({ lifecycle, sunset }) => lifecycle === "migration_only" && sunset === null)
    .map(({ alias }) => alias);
  if (names.length === 0) return [];
  return [`without a sunset date: ${[...new Set(names)].join(", ")}; set one with \`claims aliases sunset\``];
}
