import { BROKER_ALIASES, findAlias } from "../../../contract/aliases.ts";
import { findSunset, readAliasLog, requireAlias } from "../../connection/broker-aliases.ts";
import { readConfig, updateConfig } from "../../connection/config.ts";
import { command } from "../../framework/command.ts";
import { parseDay } from "../../framework/values.ts";
import { toCard, toListOutput } from "../../output/output.ts";
import { printMessage } from "../../output/stderr.ts";

const sunset = command({
  name: "sunset",
  prints: "AliasSunset",
  summary: "set the date from which this program refuses an alias",
  output: "record",
  quietPrints: "the alias",
  arguments: [
    { name: "alias", help: "path of the alias, such as /broker/onboard" },
    { name: "date", help: "YYYY-MM-DD; without it, the date is removed", isOptional: true },
  ],
  examples: ["claims aliases sunset /broker/onboard 2027-03-31", "claims aliases sunset /broker/onboard"],
  async run(context, { args }) {
    const { path } = requireAlias(args.alias);
    const date = args.date ?? null;
    if (date !== null) parseDay(date);
    await updateConfig(context, (config) => {
      const { [path]: _, ...others } = config.sunsets ?? {};
      return { ...config, sunsets: date === null ? others : { ...others, [path]: date } };
    });
    if (date !== null && date <= new Date(context.now()).toISOString().slice(0, 10))
      printMessage(context, `${date} has passed: from now on, ${path} is refused without --allow-sunset`);
    const record = { alias: path, sunset: date };
    const card = toCard("alias", { alias: path, sunset: date ?? "none" }, { record });
    return { kind: "record", id: path, json: record, blocks: [card] };
  },
});

const list = command({
  name: "list",
  prints: "Aliases",
  summary: "list the broker aliases with canonical path, lifecycle and your sunset dates",
  output: "list",
  quietPrints: "aliases",
  examples: ["claims aliases list", "claims aliases list --csv"],
  async run(context) {
    const { sunsets } = await readConfig(context);
    return toListOutput({
      items: BROKER_ALIASES.map((row) => {
        const { path: alias, canonicalPath, family, lifecycle } = row;
        return { alias, canonicalPath, family, lifecycle, sunset: findSunset(sunsets, row) };
      }),
      columns: [
        { name: "alias", isId: true },
        { name: "canonicalPath", title: "canonical path", canWrap: true },
        { name: "family", isHidden: true },
        { name: "lifecycle" },
        { name: "sunset" },
      ],
      emptyMessage: "no aliases",
    });
  },
});

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

const audit = command({
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
        { name: "lastUsedAt", title: "last used", display: ({ lastUsedAt }) => lastUsedAt.slice(0, 10) },
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

export const commands = [list, audit, sunset];
