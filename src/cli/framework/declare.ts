import { Argument, Command, Option } from "commander";
import { usageError } from "../../domain/errors.ts";
import { type Commands, NOUNS } from "../commands/index.ts";
import type { Context } from "../context.ts";
import type { AnyCommand, ArgumentSpec } from "./command.ts";
import { findCommand, listGroup, splitName } from "./command-words.ts";
import { HELP_TOPICS } from "./help-topics.ts";
import {
  formatFlags,
  formatLongFlag,
  type GlobalOptions,
  groupOptions,
  type OptionSpec,
  type OptionSpecs,
} from "./options.ts";

/** Characters, for a terminal that does not know its own. */
const DEFAULT_HELP_WIDTH = 80;

/** Characters beside the names of options below which what is said of them is not wrapped. */
const MIN_HELP_TEXT_WIDTH = 20;

/** Characters from the name of a help topic to what it is about. */
const TOPIC_NAME_WIDTH = 20;

/** Runs a command that has been parsed; what it resolves to is up to the caller. */
export type ExecuteCommand = (
  spec: AnyCommand,
  invocation: Omit<Parameters<AnyCommand["run"]>[1], "onEnd" | "requestTimeout">,
) => Promise<void>;

/**
 * The tree of commands. With `words`, the line to be parsed, only what it names is declared whole: declaring all of it
 * takes as long as a short run.
 */
export function declareProgram(
  { version, stdout, stderr }: Context,
  execute: ExecuteCommand,
  commands: Commands,
  words?: readonly string[],
): Command {
  const program = new Command("claims")
    .description("Diligence submissions to the partner claims API, and its sandbox on this machine")
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp({ minWidthToWrap: MIN_HELP_TEXT_WIDTH })
    .configureOutput({
      writeOut: (text) => stdout.writable.write(text),
      // A noun without its verb shows what there is; that is an answer, not an error.
      writeErr: (text) => stdout.writable.write(text),
      // Errors are told once, in our own form, by run().
      outputError: () => {},
      getOutHelpWidth: () => stdout.columns || DEFAULT_HELP_WIDTH,
      getErrHelpWidth: () => stderr.columns || DEFAULT_HELP_WIDTH,
    });
  for (const { name, alias, summary, groups = {} } of NOUNS) {
    const noun = asCommandGroup(program.command(name).description(summary));
    if (alias) noun.alias(alias);
    const specs = commands[name] ?? [];
    const named = words && findCommand(specs, words.slice(1));
    for (const spec of specs) {
      const [first, second] = splitName(spec);
      const parent = second === "" ? noun : findOrCreateGroup(noun, first, groups[first]);
      const child = parent.command(second || first);
      declareCommand(child, spec, execute, !words || spec === named);
      if (listGroup(specs, spec.name).length > 0) asCommandGroup(child);
    }
  }
  for (const spec of commands[""] ?? [])
    declareCommand(program.command(spec.name), spec, execute, !words || spec.name === words[0]);
  const topics = HELP_TOPICS.map(({ name, summary }) => `  ${name.padEnd(TOPIC_NAME_WIDTH)}${summary}`).join(
    "\n",
  );
  program.addHelpText(
    "after",
    `\nTopics:\n${topics}\n\n\`claims <command> --help\` has options and examples, \`claims help <topic>\` explains a topic.`,
  );
  return program;
}

/** A command that has others below it: options behind their words are theirs, and those before would get lost. */
const asCommandGroup = (command: Command): Command =>
  command
    .helpCommand(false)
    .enablePositionalOptions()
    .hook("preSubcommand", (own, called) => {
      if (Object.keys(own.opts()).length === 0) return;
      const message = `options stand between "${own.name()}" and "${called.name()}"`;
      throw usageError("usage", message, { hint: "options follow the whole command" });
    });

/** A command of that name, or a group that is none and shows its help. */
const findOrCreateGroup = (noun: Command, name: string, about = ""): Command =>
  noun.commands.find((command) => command.name() === name) ??
  asCommandGroup(noun.command(name).description(about));

/** @param isComplete false for a command that is only listed: its options are not asked for */
function declareCommand(
  child: Command,
  spec: AnyCommand,
  execute: ExecuteCommand,
  isComplete: boolean,
): void {
  child.summary(spec.summary).description(spec.summary);
  const specs = spec.arguments ?? [];
  for (const argument of specs) child.addArgument(createArgument(argument));
  if (!isComplete) return;
  // What follows the first word of somebody else's command line is theirs.
  if (specs.some(({ isPassThrough: verbatim }) => verbatim)) child.passThroughOptions();
  for (const [group, options] of groupOptions(spec)) {
    if (group) child.optionsGroup(group);
    addOptions(child, options);
  }
  child.helpOption("-h, --help", "show help");
  child.addHelpText("after", `\nExamples:\n${spec.examples.map((line) => `  $ ${line}`).join("\n")}`);
  child.action(async () => {
    const options = child.opts();
    checkRequiredOptions(spec, options);
    const args = Object.fromEntries(specs.map(({ name }, index) => [name, child.processedArgs[index]]));
    // What has been parsed is what the specs, here forgotten, say.
    await execute(spec, {
      args: args as never,
      options: options as never,
      global: options as unknown as GlobalOptions,
    });
  });
}

function createArgument({
  choices,
  help,
  name,
  isOptional: optional = false,
  isVariadic: many = false,
}: ArgumentSpec): Argument {
  const text = many ? `${name}...` : name;
  const argument = new Argument(optional ? `[${text}]` : `<${text}>`, help);
  return choices ? argument.choices(choices).argParser(parseChoice(choices, name)) : argument;
}

function addOptions(command: Command, specs: OptionSpecs): void {
  for (const [key, spec] of Object.entries(specs)) {
    const option = new Option(formatFlags(key, spec), spec.help);
    // Commander takes every --no-x for the opposite of some --x; `--no-input` has nothing to do with `--input <file>`.
    option.negate = key.startsWith("no-");
    const { choices, parse } = spec;
    if (choices) option.choices(choices).argParser(parseChoice(choices, formatLongFlag(key)));
    if (spec.repeats) option.argParser(parseRepeated(spec));
    else if (parse) option.argParser((text) => parse(text));
    command.addOption(option);
  }
}

/** Choices are named in the help by commander, and checked here: a wrong one is told in our own words. */
const parseChoice =
  (choices: readonly string[], what: string) =>
  (text: string): string => {
    if (choices.includes(text)) return text;
    throw usageError("invalid_choice", `"${text}" is none of the choices for ${what}`, {
      hint: `use one of ${choices.join(", ")}`,
    });
  };

/** Each value on its own, then all of them as a list. */
const parseRepeated =
  ({ parse = (text: string) => text }: OptionSpec) =>
  (text: string, before: unknown): readonly unknown[] => [
    ...((before as unknown[] | undefined) ?? []),
    parse(text),
  ];

/** Not commander's own check: that one comes before unknown options, and would hide the typo that is the cause. */
function checkRequiredOptions({ options: specs }: AnyCommand, given: Record<string, unknown>): void {
  for (const [key, spec] of Object.entries(specs as OptionSpecs)) {
    if (!spec.required || given[key] !== undefined) continue;
    throw usageError("missing_option", `${formatFlags(key, spec)} is missing`, {
      hint: `it gives ${spec.help}`,
    });
  }
}
