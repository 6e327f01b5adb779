import { Argument, Command, Option } from "commander";
import { ClaimsError, rephraseError, usageError } from "../../domain/errors.ts";
import { wrapCommand } from "../../domain/wrap-text.ts";
import type { Context } from "../context.ts";
import { type AnyCommand, formatArgument, type Invocation } from "./command.ts";
import { type CommandNode, findPath } from "./command-tree.ts";
import { HELP_TOPICS } from "./help-topics.ts";
import {
  describeInput,
  formatFlags,
  formatLongFlag,
  type GlobalOptions,
  groupOptions,
  type OptionSpec,
  type OptionSpecs,
} from "./options.ts";

/** Columns of a terminal that does not know its width. */
const DEFAULT_HELP_WIDTH = 80;

/** Help is not wrapped if fewer columns remain next to the option names. */
const MIN_HELP_TEXT_WIDTH = 20;
const TOPIC_NAME_WIDTH = 20;

export type ExecuteCommand = (
  spec: AnyCommand,
  invocation: Pick<Parameters<AnyCommand["run"]>[1], "args" | "options"> & Pick<Invocation, "global">,
) => Promise<void>;

/** @param words only the command of this line gets its options: declaring all takes as long as a short command runs */
export function declareProgram(
  context: Context,
  execute: ExecuteCommand,
  tree: CommandNode,
  words?: readonly string[],
): Command {
  const { runtime, version, stdout, stderr } = context;
  const isVerbose = words?.includes("-v") || words?.includes("--verbose");
  const program = new Command(tree.name)
    .description("Submit diligence files to the partner claims API, and run its sandbox on this machine")
    .version(
      isVerbose ? `${version} on ${runtime}` : version,
      "--version",
      "print the version; with -v, also what runs it",
    )
    .helpOption("-h, --help", "show help")
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp({
      minWidthToWrap: MIN_HELP_TEXT_WIDTH,
      // Commander adds the choices, which the description has.
      optionDescription: ({ description }) => description,
      argumentDescription: ({ description }) => description,
    })
    .configureOutput({
      writeOut: (text) => stdout.writable.write(text),
      // A noun without a verb prints its help as a result, not as an error.
      writeErr: (text) => stdout.writable.write(text),
      // run() reports errors.
      outputError: () => {},
      getOutHelpWidth: () => stdout.columns || DEFAULT_HELP_WIDTH,
      getErrHelpWidth: () => stderr.columns || DEFAULT_HELP_WIDTH,
    });
  const named = words && findPath(tree, words).at(-1);
  const declare = (child: Command, node: CommandNode) => {
    child.summary(node.summary).description(node.summary);
    if (node.alias) child.alias(node.alias);
    if (node.spec) declareCommand(context, child, node.spec, execute, !words || node === named);
    if (!node.spec || node.children.length > 0) makeCommandGroup(child);
    for (const each of node.children) declare(child.command(each.name), each);
  };
  for (const node of tree.children) declare(program.command(node.name), node);
  const topics = HELP_TOPICS.map(({ name, summary }) => `  ${name.padEnd(TOPIC_NAME_WIDTH)}${summary}`);
  return program.addHelpText(
    "after",
    [
      "\nTopics:",
      ...topics,
      "\n`claims <command> --help` shows options and examples, `claims help <topic>` a",
      "topic, and `claims examples` whole files.",
      "Global options, such as --json and --base-url, stand before or after the",
      "command; `claims help options` explains them.",
    ].join("\n"),
  );
}

/** For a command with commands below it. Options before their names would get lost. */
const makeCommandGroup = (command: Command): Command =>
  command
    .helpCommand(false)
    .enablePositionalOptions()
    .hook("preSubcommand", (group, child) => {
      if (Object.keys(group.opts()).length === 0) return;
      throw usageError("usage", `options stand between "${group.name()}" and "${child.name()}"`, {
        hint: "options follow the whole command",
      });
    });

/** @param isComplete false for a command that is only listed, without its options */
function declareCommand(
  context: Context,
  child: Command,
  spec: AnyCommand,
  execute: ExecuteCommand,
  isComplete: boolean,
): void {
  const specs = spec.arguments ?? [];
  for (const spec of specs) {
    const argument = new Argument(formatArgument(spec), describeInput(spec));
    child.addArgument(spec.choices ? argument.choices(spec.choices) : argument);
  }
  if (!isComplete) return;
  if (specs.some(({ isPassThrough }) => isPassThrough)) child.passThroughOptions();
  const groups = groupOptions(spec);
  for (const [group, options] of groups)
    for (const [key, spec] of Object.entries(options)) {
      const option = createOption(key, spec).hideHelp(group !== "command");
      child.addOption(option);
      child.on(`option:${option.name()}`, (value: unknown) => refuseOptionAsValue(child, option, value));
    }
  child.helpOption("-h, --help", "show help");
  child.addHelpText("after", () => {
    const width = helpWidthOf(child) - INDENT.length;
    const examples = ["Examples:", ...spec.examples.flatMap((line) => wrapCommand(`$ ${line}`, width))];
    return `\n${nameCommonOptions(child, groups)}\n\n${examples.join(`\n${INDENT}`)}`;
  });
  child.action(async () => {
    const options = child.opts();
    await addMissingOptions(context, spec, options);
    const args = Object.fromEntries(specs.map(({ name }, index) => [name, child.processedArgs[index]]));
    // AnyCommand has lost the types of the values that the specs describe.
    await execute(spec, { args: args as never, options: options as never, global: options as GlobalOptions });
  });
}

/** After `--claim $(…)` that printed nothing, the next option would be taken for the value. */
function refuseOptionAsValue({ options }: Command, { long }: Option, value: unknown): void {
  const isOption = options.some((option) => option.long === value || option.short === value);
  if (typeof value !== "string" || !isOption) return;
  throw usageError("missing_option", `${long} has no value: the next word is the option ${value}`, {
    hint: "an empty variable or $(…) leaves no word; put quotes around it",
  });
}

const helpWidthOf = (child: Command): number =>
  child.configureOutput().getOutHelpWidth?.() ?? DEFAULT_HELP_WIDTH;

/** One line for each group: `claims help options` explains them. */
function nameCommonOptions(child: Command, groups: ReturnType<typeof groupOptions>): string {
  const width = helpWidthOf(child);
  const lines = groups.flatMap(([group, options]) => {
    if (group === "command") return [];
    const flags = Object.keys(options).map(formatLongFlag).join(", ");
    const line = `${group.charAt(0).toUpperCase()}${group.slice(1)} options: ${flags} (claims help options)`;
    return child.createHelp().boxWrap(line, width - INDENT.length);
  });
  return lines.map((line) => line.replaceAll("\n", `\n${INDENT}`)).join("\n");
}

const INDENT = "  ";

function createOption(key: string, spec: OptionSpec): Option {
  const option = new Option(formatFlags(key, spec), describeInput(spec));
  // Commander takes every --no-x for the negation of --x, but `--no-input` does not negate `--input <file>`.
  option.negate = key.startsWith("no-");
  const { choices, conflicts, parse } = spec;
  if (choices) option.choices(choices);
  if (conflicts) option.conflicts([...conflicts]);
  // Commander's check of the choices, which a parser of our own replaces.
  const { parseArg: checkChoice } = option;
  const parseOne = parse ?? ((text: string) => checkChoice?.(text, "") ?? text);
  if (spec.repeats)
    option.argParser((text, earlier: readonly unknown[] = []) => [
      ...earlier,
      parseValue(parseOne, text, option.long),
    ]);
  else if (parse) option.argParser((text) => parseValue(parse, text, option.long));
  return option;
}

/** An error of the value names the option. */
function parseValue(parse: (text: string) => unknown, text: string, flag: string | undefined): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw error instanceof ClaimsError ? rephraseError(error, { option: flag }) : error;
  }
}

/**
 * Asks for the required options that are missing. Commander's own check runs before its check for unknown options, and would
 * hide a typo. @throws ClaimsError `missing_option` where nobody can answer
 */
async function addMissingOptions(
  context: Context,
  { options: specs = {}, examples }: AnyCommand,
  given: Record<string, unknown>,
): Promise<void> {
  for (const [key, spec] of Object.entries(specs as OptionSpecs)) {
    if (!spec.required || given[key] !== undefined) continue;
    const { askForOption } = await import("./prompts.ts");
    const answer = await askForOption(context, given, spec);
    if (answer !== "") {
      given[key] = spec.parse ? parseValue(spec.parse, answer, formatLongFlag(key)) : answer;
      continue;
    }
    const example = examples.findLast((line) => line.includes(formatLongFlag(key)));
    throw usageError("missing_option", `${formatFlags(key, spec)} is missing`, {
      hint: example === undefined ? spec.help : `${spec.help}, as in: ${example}`,
    });
  }
}
