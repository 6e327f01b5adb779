import type { CommandEntry, OptionEntry } from "../documents/capabilities.ts";
import { type AnyCommand, type ArgumentSpec, formatArgument } from "../framework/command.ts";
import type { CommandTree, Noun } from "../framework/command-tree.ts";
import {
  COMMON_OPTIONS,
  formatLongFlag,
  groupOptions,
  type OptionGroup,
  type OptionSpec,
  type OptionSpecs,
} from "../framework/options.ts";

/** Every command, in the order of `claims --help`. */
export async function listCommands({ nouns, commands }: CommandTree): Promise<CommandEntry[]> {
  // A static import would move the operations into a file that every command loads.
  const { OPERATIONS } = await import("../../contract/operations/operations.ts");
  const list = (noun?: Noun) =>
    (commands[noun?.name ?? ""] ?? []).map((spec) => {
      const name = noun ? `${noun.name} ${spec.name}` : spec.name;
      return toEntry(name, spec, spec.operation?.(OPERATIONS).id ?? spec.prints ?? null, noun);
    });
  return [...nouns.flatMap(list), ...list()];
}

function toEntry(
  name: string,
  spec: AnyCommand,
  prints: CommandEntry["prints"],
  noun: Noun | undefined,
): CommandEntry {
  const args = spec.arguments ?? [];
  const groups = groupOptions(spec);
  return {
    name,
    aliases: noun?.alias === undefined ? [] : [`${noun.alias} ${spec.name}`],
    summary: spec.summary,
    usage: ["claims", name, "[options]", ...args.map(formatArgument)].join(" "),
    effect: spec.remote ?? "local",
    waitsForJob: spec.waitsForJob ?? false,
    arguments: args.map(toArgument),
    options: groups.flatMap(([, options]) => Object.keys(options).map(formatLongFlag)),
    ownOptions: groups.flatMap(([group, options]) => (group === "command" ? toOptions(group, options) : [])),
    formats: listFormats(groups),
    prints,
    examples: [...spec.examples],
  };
}

/** The options of many commands. */
export const listSharedOptions = (): OptionEntry[] =>
  Object.entries(COMMON_OPTIONS).flatMap(([group, options]) => toOptions(group as OptionGroup, options));

const toOptions = (group: OptionGroup, options: OptionSpecs): OptionEntry[] =>
  Object.entries(options).map(([key, option]) => toOption(key, option, group));

const toArgument = (spec: ArgumentSpec): CommandEntry["arguments"][number] => ({
  name: spec.name,
  summary: spec.help,
  ...(!spec.isOptional && { required: true }),
  ...(spec.isVariadic && { repeats: true }),
  ...describeValue(spec),
});

const toOption = (key: string, spec: OptionSpec, group: OptionGroup): OptionEntry => ({
  flag: formatLongFlag(key),
  ...(spec.short !== undefined && { short: `-${spec.short}` }),
  kind: spec.value ?? "switch",
  group,
  summary: spec.help,
  ...(spec.required && { required: true }),
  ...(spec.repeats && { repeats: true }),
  ...describeValue(spec),
  ...(spec.variable !== undefined && { variable: spec.variable }),
});

const describeValue = (spec: Pick<OptionSpec, "choices" | "default">) => ({
  ...(spec.choices && { choices: [...spec.choices] }),
  ...(spec.default !== undefined && { default: String(spec.default) }),
});

function listFormats(groups: ReturnType<typeof groupOptions>): CommandEntry["formats"] {
  const options = new Set(groups.flatMap(([, group]) => Object.keys(group)));
  const has = (key: string, format: CommandEntry["formats"][number]) => (options.has(key) ? [format] : []);
  return [
    "text",
    ...has("json", "json"),
    ...has("ndjson", "ndjson"),
    ...has("csv", "csv"),
    ...has("quiet", "ids"),
    ...has("out", "file"),
  ];
}
