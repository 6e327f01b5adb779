import { aliasAt } from "../../../contract/aliases.ts";
import { readUses } from "../../aliases/alias-log.ts";
import { sunsetOf } from "../../aliases/sunset.ts";
import { command } from "../../command.ts";
import { readConfig } from "../../config/config-file.ts";
import type { Context } from "../../context.ts";
import { readInput } from "../../input-file.ts";
import { list } from "../../output/output.ts";
import { pathsInAccessLog } from "./access-log.ts";

/** How often an alias was used, and where that is known from. */
interface Audited {
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
type Use = Pick<Audited, "from" | "canonicalPath" | "lifecycle"> & {
  readonly path: string;
  readonly at: string | null;
};

export const audit = command({
  name: "audit",
  summary: "show which aliases were really used, by this machine or by an access log, and where to move",
  remote: false,
  answers: "list",
  options: {
    accessLog: { value: "file", help: "look into an access log too, in common format or as JSON lines" },
  },
  examples: ["claims aliases audit", "claims aliases audit --access-log access.log --csv"],
  async run(context, { options }) {
    const { sunsets } = await readConfig(context);
    const found = new Map<string, Audited>();
    for (const use of await usesOf(context, options.accessLog)) {
      const alias = aliasAt(use.path);
      const name = alias?.path ?? use.path;
      const before = found.get(`${use.from} ${name}`);
      found.set(`${use.from} ${name}`, {
        ...{ alias: name, from: use.from, uses: (before?.uses ?? 0) + 1 },
        lastUsedAt: latest(before?.lastUsedAt ?? null, use.at),
        canonicalPath: alias?.canonicalPath ?? use.canonicalPath,
        lifecycle: alias?.lifecycle ?? use.lifecycle,
        sunset: alias ? sunsetOf(sunsets, alias) : null,
      });
    }
    const items = [...found.values()].sort((one, other) => other.uses - one.uses);
    return list<Audited>({
      items,
      columns: [
        { name: "alias", isId: true, of: ({ alias }) => alias },
        { name: "uses", align: "right", of: ({ uses }) => uses },
        { name: "lastUsedAt", title: "last used", of: ({ lastUsedAt }) => lastUsedAt },
        { name: "canonicalPath", title: "canonical path", of: ({ canonicalPath }) => canonicalPath },
        { name: "lifecycle", of: ({ lifecycle }) => lifecycle },
        { name: "sunset", of: ({ sunset }) => sunset },
        { name: "from", of: ({ from }) => from },
      ],
      idOf: ({ alias }) => alias,
      empty: "no alias was used",
      notes: () => withoutDate(items),
    });
  },
});

async function usesOf(context: Context, accessLog: string | undefined): Promise<Use[]> {
  const own = (await readUses(context)).map(
    ({ alias, at, canonicalPath, lifecycle }): Use => ({
      ...{ path: alias, at, canonicalPath, lifecycle },
      from: "this machine",
    }),
  );
  if (accessLog === undefined) return own;
  const text = (await readInput(context, accessLog)).toString("utf8");
  const seen = pathsInAccessLog(text).filter(({ path }) => aliasAt(path));
  return [
    ...own,
    ...seen.map((use): Use => ({ ...use, from: accessLog, canonicalPath: null, lifecycle: null })),
  ];
}

const latest = (one: string | null, other: string | null): string | null =>
  one === null || (other !== null && other > one) ? other : one;

/** Interface §9.2: a migration-only alias is to be given a sunset date by whoever uses it. */
function withoutDate(items: readonly Audited[]): string[] {
  const names = items
    .filter(({ lifecycle, sunset }) => lifecycle === "migration_only" && sunset === null)
    .map(({ alias }) => alias);
  if (names.length === 0) return [];
  return [`without a sunset date: ${[...new Set(names)].join(", ")}; set one with \`claims aliases sunset\``];
}
