import { findAlias } from "../../../contract/aliases.ts";
import { readAliasLog } from "../../connection/alias-log.ts";
import { findSunset } from "../../connection/broker-aliases.ts";
import { readConfig } from "../../connection/config-file.ts";
import { command } from "../../framework/command.ts";
import { toListOutput } from "../../output/output.ts";

interface AliasUsage {
  /** From the alias map, or as the service named it. */
  readonly alias: string;
  readonly uses: number;
  /** RFC 3339 */
  readonly lastUsedAt: string;
  readonly canonicalPath: string | null;
  readonly lifecycle: string | null;
  readonly sunset: string | null;
}

export const audit = command({
  name: "audit",
  prints: "AliasUses",
  summary: "list the aliases in use on this machine, with their canonical paths",
  output: "list",
  quietPrints: "aliases",
  examples: ["claims aliases audit", "claims aliases audit --csv"],
  async run(context) {
    const { sunsets } = await readConfig(context);
    const found = new Map<string, AliasUsage>();
    for (const use of await readAliasLog(context)) {
      const alias = findAlias(use.alias);
      const name = alias?.path ?? use.alias;
      const previous = found.get(name);
      found.set(name, {
        alias: name,
        uses: (previous?.uses ?? 0) + 1,
        lastUsedAt: previous && previous.lastUsedAt > use.at ? previous.lastUsedAt : use.at,
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
          display: ({ lastUsedAt }) => lastUsedAt.slice(0, 10),
        },
        { name: "canonicalPath", title: "canonical path", canWrap: true },
        { name: "lifecycle" },
        { name: "sunset" },
      ],
      emptyMessage: "no alias was used",
      notes: () => missingSunsetNotes(items),
    });
  },
});

/** Interface §9.2: you set a sunset date for each migration-only alias that you use. */
function missingSunsetNotes(items: readonly AliasUsage[]): string[] {
  const names = items
    .filter(({ lifecycle, sunset }) => lifecycle === "migration_only" && sunset === null)
    .map(({ alias }) => alias);
  if (names.length === 0) return [];
  return [`without a sunset date: ${names.join(", ")}; set one with \`claims aliases sunset\``];
}
