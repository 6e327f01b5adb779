import { BROKER_ALIASES, findAlias } from "../../../contract/aliases.ts";
import { groupBy } from "../../../domain/group-by.ts";
import { labelCode } from "../../../domain/labels.ts";
import { findSunset, readAliasLog, requireAlias } from "../../connection/broker-aliases.ts";
import { readConfig, updateConfig } from "../../connection/config.ts";
import { command } from "../../framework/command.ts";
import { parseDay } from "../../framework/values.ts";
import { toCardOutput, toListOutput } from "../../output/output.ts";
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
      printMessage(context, `${date} has passed: from now on, ${path} is refused`);
    const record = { alias: path, sunset: date };
    const fields = { alias: path, sunset: date ?? "none" };
    return toCardOutput("alias", { id: path, record, fields });
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
        { name: "lifecycle", display: ({ lifecycle }) => labelCode(lifecycle) },
        {
          name: "sunset",
          display: ({ lifecycle, sunset }) =>
            sunset ?? (lifecycle === "migration_only" ? "no date is set" : null),
        },
        // A path that is cut or wrapped cannot be compared.
        { name: "canonicalPath", title: "canonical path", isWhole: true },
        { name: "family", isHidden: true },
      ],
      emptyMessage: "no aliases",
    });
  },
});

const audit = command({
  name: "audit",
  prints: "AliasUses",
  summary: "list the aliases in use on this machine, with their canonical paths",
  output: "list",
  quietPrints: "aliases",
  examples: ["claims aliases audit", "claims aliases audit --csv"],
  async run(context) {
    const { sunsets } = await readConfig(context);
    const uses = groupBy(await readAliasLog(context), (use) => findAlias(use.alias)?.path ?? use.alias);
    const items = [...uses].map(([name, all]) => {
      const alias = findAlias(name);
      const known = alias ?? all.at(-1);
      return {
        alias: name,
        uses: all.length,
        lastUsedAt: all.reduce((last, { at }) => (at > last ? at : last), ""),
        canonicalPath: known?.canonicalPath ?? null,
        lifecycle: known?.lifecycle ?? null,
        sunset: alias ? findSunset(sunsets, alias) : null,
      };
    });
    items.sort((one, other) => other.uses - one.uses);
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
      notes() {
        // Interface §9.2: you set a sunset date for each migration-only alias that you use.
        const undated = items.filter(
          ({ lifecycle, sunset }) => lifecycle === "migration_only" && sunset === null,
        );
        const names = undated.map(({ alias }) => alias).join(", ");
        return names === ""
          ? []
          : [`without a sunset date: ${names}; set one with \`claims aliases sunset\``];
      },
    });
  },
});

export const commands = [list, audit, sunset];
