import { PROBLEMS } from "../../contract/problems.ts";
import { ERROR_CODES, type ErrorKind } from "../../domain/error-codes.ts";
import {
  type Capabilities,
  type CommandEntry,
  type OptionEntry,
  schemaUrl,
} from "../documents/capabilities.ts";
import { EXIT_CODE_BY_KIND, EXIT_CODES } from "../exit-codes.ts";
import { type AnyCommand, type ArgumentSpec, formatArgument } from "../framework/command.ts";
import type { CommandNode } from "../framework/command-tree.ts";
import { ENVIRONMENT_VARIABLES } from "../framework/environment-variables.ts";
import {
  COMMON_OPTIONS,
  formatLongFlag,
  groupOptions,
  listOptions,
  type OptionGroup,
  type OptionSpec,
  type OptionSpecs,
} from "../framework/options.ts";

/** What a program needs to call the command line, read from the tables that define it, as are help and completion. */
export async function describeCapabilities(version: string, tree: CommandNode): Promise<Capabilities> {
  return {
    $schema: schemaUrl(version),
    version,
    commands: await listCommands(tree),
    options: Object.entries(COMMON_OPTIONS).flatMap(([group, options]) =>
      toOptions(group as OptionGroup, options),
    ),
    exitCodes: Object.entries(EXIT_CODES).map(([code, meaning]) => ({ code: Number(code), meaning })),
    environment: Object.entries(ENVIRONMENT_VARIABLES).map(([name, meaning]) => ({ name, meaning })),
    errors: Object.entries(ERROR_CODES).flatMap(([kind, codes]) =>
      Object.entries<string>(codes).map(([code, meaning]) => ({
        code,
        kind,
        exitCode: EXIT_CODE_BY_KIND[kind as ErrorKind],
        meaning,
      })),
    ),
    problems: Object.entries(PROBLEMS).map(([code, { status, title }]) => ({ code, status, title })),
  };
}

/** Every command, in the order of `claims --help`. */
async function listCommands(tree: CommandNode): Promise<CommandEntry[]> {
  // A static import would move the operations into a file that every command loads.
  const { OPERATIONS } = await import("../../contract/operations/operations.ts");
  const list = ({ children, spec }: CommandNode, names: Names): CommandEntry[] => {
    const namesOf = (child: CommandNode) => names.map((words) => `${words} ${child.name}`);
    const below = children.flatMap((child) => list(child, namesOf(child)));
    if (!spec) return below;
    return [toEntry(names, spec, spec.operation?.(OPERATIONS).id ?? spec.prints ?? null), ...below];
  };
  return tree.children.flatMap((node) => list(node, [node.name, ...(node.alias ? [node.alias] : [])]));
}

/** What is typed after `claims`: the name, then other spellings. */
type Names = readonly string[];

/** Of each option that sets a format. */
const FORMATS = [
  ["json", "json"],
  ["ndjson", "ndjson"],
  ["csv", "csv"],
  ["quiet", "ids"],
  ["out", "file"],
] as const;

function toEntry(
  [name = "", ...aliases]: Names,
  spec: AnyCommand,
  prints: CommandEntry["prints"],
): CommandEntry {
  const args = spec.arguments ?? [];
  const groups = groupOptions(spec);
  const keys = listOptions(spec).map(([key]) => key);
  return {
    name,
    aliases,
    summary: spec.summary,
    usage: ["claims", name, "[options]", ...args.map(formatArgument)].join(" "),
    effect: spec.remote ?? "local",
    waitsForJob: spec.waitsForJob ?? false,
    arguments: args.map(toArgument),
    options: keys.map(formatLongFlag),
    ownOptions: groups.flatMap(([group, options]) => (group === "command" ? toOptions(group, options) : [])),
    formats: ["text", ...FORMATS.flatMap(([key, format]) => (keys.includes(key) ? [format] : []))],
    prints,
    examples: [...spec.examples],
  };
}

const toOptions = (group: OptionGroup, options: OptionSpecs): OptionEntry[] =>
  Object.entries(options).map(([key, spec]) => ({
    flag: formatLongFlag(key),
    ...(spec.short !== undefined && { short: `-${spec.short}` }),
    kind: spec.value ?? "switch",
    group,
    summary: spec.help,
    ...(spec.required && { required: true }),
    ...(spec.repeats && { repeats: true }),
    ...describeValue(spec),
    ...(spec.variable !== undefined && { variable: spec.variable }),
  }));

const toArgument = (spec: ArgumentSpec): CommandEntry["arguments"][number] => ({
  name: spec.name,
  summary: spec.help,
  ...(!spec.isOptional && { required: true }),
  ...(spec.isVariadic && { repeats: true }),
  ...describeValue(spec),
});

const describeValue = (spec: Pick<OptionSpec, "choices" | "default">) => ({
  ...(spec.choices && { choices: [...spec.choices] }),
  ...(spec.default !== undefined && { default: String(spec.default) }),
});
