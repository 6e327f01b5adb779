import { Argument, Command, CommanderError, Option } from "commander";
import { ClaimsError } from "../domain/errors.ts";
import type { AnyCommand, GlobalOptions, OptionSpec, OptionSpecs } from "./command.ts";
import { COMMANDS, NOUNS } from "./commands/index.ts";
import type { Context } from "./context.ts";
import { parseDuration } from "./duration.ts";
import { describeFailure } from "./failure.ts";
import { print } from "./output/print.ts";

const EVERY_COMMAND = {
  json: { help: "print the service's own answer, as JSON" },
  out: { value: "file", help: "write the answer to a file, whole or not at all" },
  color: { help: "force colour" },
  "no-color": { help: "no colour" },
} as const satisfies OptionSpecs;

const REMOTE_COMMAND = {
  baseUrl: { value: "url", help: "where the service is (CLAIMS_BASE_URL)" },
  environment: { value: "name", choices: ["sandbox", "production"], help: "(CLAIMS_ENVIRONMENT)" },
  sandbox: { help: "use a sandbox that lives for this command only" },
  timeout: { value: "duration", parse: parseDuration, help: "how long to wait for a job: 90s, 15m (15m)" },
  caFile: { value: "file", help: "certificate authority to trust, PEM" },
  yes: { help: "do not ask before writing to production" },
  verbose: { short: "v", help: "log requests to stderr, without secrets" },
  "no-input": { help: "never ask (CLAIMS_NO_INPUT)" },
} as const satisfies OptionSpecs;

/** Commander ends these by an error, after it has shown what was asked for. */
const HELP_SHOWN: ReadonlySet<string> = new Set([
  "commander.help",
  "commander.helpDisplayed",
  "commander.version",
]);

/** Runs one command line (without the program's own name) and resolves to its exit code. */
export async function run(argv: readonly string[], context: Context): Promise<number> {
  try {
    let exitCode = 0;
    const keep = (code: number) => {
      exitCode = code;
    };
    const program = buildProgram(context, keep, argv[0] ?? "");
    await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && HELP_SHOWN.has(error.code)) return 0;
    if (context.signal.reason === "EPIPE") return 0;
    return tell(context, asUsageError(error), asksForJson(argv));
  }
}

/** Whether errors are to be JSON; also known for a command line that does not parse. What follows `--` is a child's. */
export const asksForJson = (argv: readonly string[]): boolean =>
  argv.slice(0, argv.includes("--") ? argv.indexOf("--") : undefined).includes("--json");

/** Tells an error on stderr and answers its exit code. */
export function tell({ signal, stderr }: Context, error: unknown, json: boolean): number {
  const failure = describeFailure(error, signal);
  stderr.writable.write(json ? failure.json : failure.text);
  return failure.exitCode;
}

/** The tree of commands. With `noun`, only that noun gets its verbs: declaring them all takes as long as a short run. */
export function buildProgram(context: Context, exit: (code: number) => void, noun?: string): Command {
  const program = new Command("claims")
    .description("Diligence submissions, webhooks and a local sandbox for the partner claims API")
    .version(context.version, "--version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.writable.write(text),
      // A noun without its verb shows what there is; that is an answer, not an error.
      writeErr: (text) => context.stdout.writable.write(text),
      // Errors are told once, in our own form, by run().
      outputError: () => {},
      getOutHelpWidth: () => context.stdout.columns,
      getErrHelpWidth: () => context.stderr.columns,
    });
  for (const { name, summary } of NOUNS) {
    const parent = program.command(name).description(summary).helpCommand(false);
    if (noun !== undefined && noun !== name) continue;
    for (const spec of COMMANDS[name]) register(parent, spec, context, exit);
  }
  for (const spec of COMMANDS[""]) register(program, spec, context, exit);
  return program;
}

function register(parent: Command, spec: AnyCommand, context: Context, exit: (code: number) => void): void {
  const child = parent.command(spec.name).summary(spec.summary).description(spec.summary);
  for (const { name, help, optional = false, rest = false } of spec.arguments ?? []) {
    const word = rest ? `${name}...` : name;
    child.addArgument(new Argument(optional ? `[${word}]` : `<${word}>`, help));
  }
  addOptions(child, spec.options);
  child.optionsGroup("Everywhere:");
  addOptions(child, EVERY_COMMAND);
  if (spec.remote) {
    child.optionsGroup("Service:");
    addOptions(child, REMOTE_COMMAND);
  }
  child.addHelpText("after", `\nExamples:\n${spec.examples.map((line) => `  $ ${line}`).join("\n")}`);
  child.action(async () => {
    const global = globalOptions(child.opts());
    const args = child.processedArgs.flat().filter((argument) => argument !== undefined) as string[];
    exit(await execute(spec, context, { args, options: child.opts() as never, global }));
  });
}

/** Runs, prints, cleans up; a failure that comes with an answer is told after the answer. */
async function execute(
  spec: AnyCommand,
  context: Context,
  invocation: Omit<Parameters<AnyCommand["run"]>[1], "onEnd">,
): Promise<number> {
  const cleanups: (() => Promise<void>)[] = [];
  const { json, out, color } = invocation.global;
  const { env, signal, stdout } = context;
  try {
    const output = await spec.run(context, {
      ...invocation,
      onEnd: (cleanup) => void cleanups.push(cleanup),
    });
    await print(output, stdout, { json, out, color, env, signal });
    if (output.kind === "nothing") return output.exitCode ?? 0;
    return output.failure ? tell(context, output.failure, json) : 0;
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}

function addOptions(command: Command, specs: OptionSpecs): void {
  for (const [key, spec] of Object.entries(specs)) {
    const { help, value, short, choices, parse, required } = spec satisfies OptionSpec;
    const long = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const flags = `${short ? `-${short}, ` : ""}${long}${value ? ` <${value}>` : ""}`;
    const option = new Option(flags, help);
    if (choices) option.choices(choices);
    if (parse) option.argParser(parse);
    if (required) option.makeOptionMandatory();
    command.addOption(option);
  }
}

function globalOptions(values: Record<string, unknown>): GlobalOptions {
  const colour = values.color as boolean | undefined;
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
    color: colour,
  };
}

/** Commander's complaints in our own form; its suggestion becomes the hint. */
function asUsageError(error: unknown): unknown {
  if (!(error instanceof CommanderError)) return error;
  const [, message = error.message, suggestion] =
    /^(?:error: )?([^\n]*)(?:\n\((.*)\))?/.exec(error.message) ?? [];
  return new ClaimsError("usage", "usage", message, {
    hint: suggestion ?? "--help shows what this command takes",
  });
}
