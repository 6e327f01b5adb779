import { findAlias } from "../../../../contract/aliases.ts";
import { usageError } from "../../../../domain/errors.ts";
import { readLines } from "../../../../domain/text.ts";
import { readAliasLog } from "../../../connection/alias-log.ts";
import { findSunset } from "../../../connection/broker-aliases.ts";
import { readConfig } from "../../../connection/config-file.ts";
import type { Context } from "../../../context.ts";
import { openInput } from "../../../files/input-file.ts";
import { command } from "../../../framework/command.ts";
import { toListOutput } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { parseLogLine } from "./access-log.ts";

interface AliasUsage {
  /** From the alias map, or as the service named it. */
  readonly alias: string;
  /** The source of the uses: this machine or an access log. */
  readonly from: string;
  readonly uses: number;
  /** RFC 3339; null if the log has no time. */
  readonly lastUsedAt: string | null;
  readonly canonicalPath: string | null;
  readonly lifecycle: string | null;
  readonly sunset: string | null;
}

type FoundUse = Pick<AliasUsage, "from" | "canonicalPath" | "lifecycle"> & {
  readonly path: string;
  readonly at: string | null;
};

export const audit = command({
  name: "audit",
  summary: "list the aliases in use on this machine or in an access log, with their canonical paths",
  output: "list",
  quietPrints: "aliases",
  options: {
    accessLog: { value: "file", help: "also read this access log: common or combined format, or JSON lines" },
  },
  examples: ["claims aliases audit", "claims aliases audit --access-log access.log --csv"],
  async run(context, { options }) {
    const { sunsets } = await readConfig(context);
    const found = new Map<string, AliasUsage>();
    for await (const use of readAllUses(context, options.accessLog)) {
      const alias = findAlias(use.path);
      const name = alias?.path ?? use.path;
      const key = `${use.from} ${name}`;
      const previous = found.get(key);
      found.set(key, {
        alias: name,
        from: use.from,
        uses: (previous?.uses ?? 0) + 1,
        lastUsedAt: latest(previous?.lastUsedAt ?? null, use.at),
        canonicalPath: alias?.canonicalPath ?? use.canonicalPath,
        lifecycle: alias?.lifecycle ?? use.lifecycle,
        sunset: alias ? findSunset(sunsets, alias) : null,
      });
    }
    const items = [...found.values()].sort((one, other) => other.uses - one.uses);
    return toListOutput({
      items,
      columns: [
        { name: "alias", isId: true },
        { name: "uses", align: "right" },
        {
          name: "lastUsedAt",
          title: "last used",
          display: ({ lastUsedAt }) => lastUsedAt?.slice(0, 10) ?? null,
        },
        { name: "canonicalPath", title: "canonical path", canWrap: true },
        { name: "lifecycle" },
        { name: "sunset" },
        { name: "from" },
      ],
      emptyMessage: "no alias was used",
      notes: () => missingSunsetNotes(items),
    });
  },
});

async function* readAllUses(context: Context, accessLog: string | undefined): AsyncGenerator<FoundUse> {
  for (const { alias, at, canonicalPath, lifecycle } of await readAliasLog(context))
    yield { path: alias, at, canonicalPath, lifecycle, from: "this machine" };
  if (accessLog === undefined) return;
  const from = accessLog === "-" ? "stdin" : accessLog;
  let lines = 0;
  let unread = 0;
  for await (const line of readLogLines(context, accessLog)) {
    const request = parseLogLine(line);
    lines += 1;
    if (request === null) unread += 1;
    else if (findAlias(request.path)) yield { ...request, from, canonicalPath: null, lifecycle: null };
  }
  if (unread > 0 && unread === lines) {
    throw usageError(
      "not_an_access_log",
      `${from} is not an access log: none of its ${lines} lines is a request`,
      { hint: "give an uncompressed log in common or combined format, or with one JSON object a line" },
    );
  }
  if (unread > 0) printMessage(context, `${unread} of ${lines} lines of ${from} are not requests`);
}

/** Longer than any request line. */
const MAX_LINE_LENGTH = 1 << 16;

/** Reads the lines of a file that are not blank. The file, or one of its lines, may be larger than memory. */
async function* readLogLines(context: Context, path: string): AsyncGenerator<string> {
  const file = await openInput(context, path);
  try {
    yield* readLines(file.chunks(), { maxLength: MAX_LINE_LENGTH });
  } finally {
    await file.close();
  }
}

const latest = (one: string | null, other: string | null): string | null =>
  one === null || (other !== null && other > one) ? other : one;

/** Interface §9.2: you set a sunset date for each migration-only alias that you use. */
function missingSunsetNotes(items: readonly AliasUsage[]): string[] {
  const names = items
    .filter(({ lifecycle, sunset }) => lifecycle === "migration_only" && sunset === null)
    .map(({ alias }) => alias);
  if (names.length === 0) return [];
  return [`without a sunset date: ${[...new Set(names)].join(", ")}; set one with \`claims aliases sunset\``];
}
