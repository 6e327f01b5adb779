import { Argument, Command, Option } from "commander";
import { ClaimsError } from "../domain/errors.ts";
import type { AnyCommand, GlobalOptions, OptionSpec, OptionSpecs } from "./command.ts";
import { COMMANDS, NOUNS } from "./commands/index.ts";
import type { Context } from "./context.ts";
import { parseDuration } from "./duration.ts";

const EVERY_COMMAND = {
  json: { help: "print JSON: the service's own answer where there is one" },
  color: { help: "force colour" },
  "no-color": { help: "no colour" },
} as const satisfies OptionSpecs;

const SAVING_COMMAND = {
  out: { value: "file", help: "write the answer to a file, whole or not at all" },
} as const satisfies OptionSpecs;

const REMOTE_COMMAND = {
  baseUrl: { value: "url", help: "where the service is (CLAIMS_BASE_URL)" },
  environment: {
    value: "name",
    choices: ["sandbox", "production"],
    help: "which environment the credential is for (CLAIMS_ENVIRONMENT)",
  },
  sandbox: { help: "use a sandbox that lives for this command only" },
  caFile: { value: "file", help: "certificate authority to trust, PEM" },
  verbose: { short: "v", help: "log requests to stderr, without secrets" },
} as const satisfies OptionSpecs;

const WAITING_COMMAND = {
  timeout: { value: "duration", parse: parseDuration, help: "how long to wait for the job: 90s, 15m (15m)" },
} as const satisfies OptionSpecs;

const WRITING_COMMAND = {
  yes: { help: "do not ask before writing to production" },
  "no-input": { help: "never ask (CLAIMS_NO_INPUT)" },
} as const satisfies OptionSpecs;

/** Characters, for a terminal that does not know its own. */
const USUAL_WIDTH = 80;

/** Runs a command that has been parsed; what it resolves to is up to the caller. */
export type Execute = (
  spec: AnyCommand,
  invocation: Omit<Parameters<AnyCommand["run"]>[1], "onEnd">,
) => Promise<void>;

/**
 * The tree of commands. With `noun`, only that noun gets its verbs: declaring them all takes as long as a short run.
 */
export function declareProgram(
  { version, stdout, stderr }: Context,
  execute: Execute,
  noun?: string,
): Command {
  const program = new Command("claims")
    .description("Diligence submissions to the partner claims API, and its sandbox on this machine")
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.writable.write(text),
      // A noun without its verb shows what there is; that is an answer, not an error.
      writeErr: (text) => stdout.writable.write(text),
      // Errors are told once, in our own form, by run().
      outputError: () => {},
      getOutHelpWidth: () => stdout.columns || USUAL_WIDTH,
      getErrHelpWidth: () => stderr.columns || USUAL_WIDTH,
    });
  for (const { name, summary } of NOUNS) {
    const parent = program.command(name).description(summary).helpCommand(false).enablePositionalOptions();
    if (noun !== undefined && noun !== name) continue;
    for (const spec of COMMANDS[name]) declare(parent, spec, execute);
  }
  for (const spec of COMMANDS[""]) declare(program, spec, execute);
  program.addHelpText(
    "after",
    "\n`claims <command> --help` has options and examples. The README has exit codes and variables.",
  );
  return program;
}

function declare(parent: Command, spec: AnyCommand, execute: Execute): void {
  const child = parent.command(spec.name).summary(spec.summary).description(spec.summary);
  for (const { name, help, rest = false } of spec.arguments ?? []) {
    child.addArgument(new Argument(`<${rest ? `${name}...` : name}>`, help));
    // What follows the first word of somebody else's command line is theirs.
    if (rest) child.passThroughOptions();
  }
  addOptions(child, spec.options);
  if (spec.waits) addOptions(child, WAITING_COMMAND);
  if (spec.remote === "writes") addOptions(child, WRITING_COMMAND);
  if (spec.remote) {
    child.optionsGroup("Service:");
    addOptions(child, REMOTE_COMMAND);
  }
  child.optionsGroup("Everywhere:");
  addOptions(child, EVERY_COMMAND);
  if (spec.saves ?? true) addOptions(child, SAVING_COMMAND);
  child.addHelpText("after", `\nExamples:\n${spec.examples.map((line) => `  $ ${line}`).join("\n")}`);
  child.action(async () => {
    const options = child.opts();
    requireOptions(spec, options);
    const args = child.processedArgs.flat().filter((argument) => argument !== undefined) as string[];
    await execute(spec, { args, options: options as never, global: globalOptions(options) });
  });
}

function addOptions(command: Command, specs: OptionSpecs): void {
  for (const [key, spec] of Object.entries(specs)) {
    const option = new Option(flagsOf(key, spec), spec.help);
    if (spec.choices) option.choices(spec.choices);
    if (spec.parse) option.argParser(spec.parse);
    command.addOption(option);
  }
}

const longFlag = (key: string): string =>
  `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const flagsOf = (key: string, { short, value }: OptionSpec): string =>
  `${short ? `-${short}, ` : ""}${longFlag(key)}${value ? ` <${value}>` : ""}`;

/** Not commander's own check: that one comes before unknown options, and would hide the typo that is the cause. */
function requireOptions({ options: specs }: AnyCommand, given: Record<string, unknown>): void {
  for (const [key, spec] of Object.entries(specs as OptionSpecs)) {
    if (!spec.required || given[key] !== undefined) continue;
    throw new ClaimsError("usage", "missing_option", `${flagsOf(key, spec)} is missing`, {
      hint: `it names ${spec.help}`,
    });
  }
}

function globalOptions(values: Record<string, unknown>): GlobalOptions {
  return {
    json: values.json === true,
    out: values.out as string | undefined,
    baseUrl: values.baseUrl as string | undefined,
    environment: values.environment as GlobalOptions["environment"],
    timeout: values.timeout as number | undefined,
    caFile: values.caFile as string | undefined,
    sandbox: values.sandbox === true,
    input: values.input !== false,
    yes: values.yes === true,
    verbose: values.verbose === true,
    color: values.color as boolean | undefined,
  };
}
