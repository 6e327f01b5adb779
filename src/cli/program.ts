import { CommanderError } from "commander";
import { loadAllCommands, loadCommandsFor, NOUNS, RECORD_NOUNS } from "./commands/index.ts";
import type { Context, OutputStream } from "./context.ts";
import type { AnyCommand } from "./framework/command.ts";
import { type CommandTree, findGroup, findNoun } from "./framework/command-tree.ts";
import { declareProgram, type ExecuteCommand } from "./framework/declare.ts";
import { addGlobalOptions, splitGlobalOptions } from "./framework/global-options.ts";
import { refuseReplacedInputs } from "./framework/output-files.ts";
import { createSandboxNamer } from "./output/add-sandbox-name.ts";
import { formatError } from "./output/error-report.ts";
import { applySuffixOfOut } from "./output/format.ts";
import { writeToStderr } from "./output/stderr.ts";

/** The command of the completion scripts. Help does not list it. */
const COMPLETE_COMMAND = "__complete";

/** Commander throws these after it has printed help or the version. */
const HELP_ERROR_CODES: readonly string[] = [
  "commander.help",
  "commander.helpDisplayed",
  "commander.version",
];

const loadTree = async (words: readonly string[]): Promise<CommandTree> => ({
  nouns: NOUNS,
  commands: await loadCommandsFor(splitGlobalOptions(words).rest),
});

export async function run(argv: readonly string[], given: Context): Promise<number> {
  let context = withSecrets(chooseStderrForm(given, argv));
  if (argv[0] === COMPLETE_COMMAND) {
    const { printCompletions } = await import("./completion/complete.ts");
    await printCompletions(argv.slice(1), context, loadTree);
    return 0;
  }
  const tree = await loadTree(argv);
  const { leading, rest } = splitGlobalOptions(argv);
  const words = rewriteHelpCommand(rest, tree);
  let exitCode = 0;
  const execute: ExecuteCommand = async (spec, invocation) => {
    context = withSandboxName(context, invocation.global.sandboxName);
    exitCode = await executeCommand(spec, context, invocation);
  };
  try {
    const line = addGlobalOptions(words, leading, tree);
    await declareProgram(context, execute, tree, line).parseAsync(line, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && HELP_ERROR_CODES.includes(error.code)) return 0;
    if (context.signal.reason === "EPIPE") return 0;
    if (!(error instanceof CommanderError)) return reportError(context, error);
    const { toUsageError } = await import("./framework/usage-error.ts");
    const all = { nouns: NOUNS, commands: await loadAllCommands() };
    return reportError(context, toUsageError(error, words, all));
  }
}

/** `claims help diligence submit` and `claims diligence help submit` become `claims diligence submit --help`. */
function rewriteHelpCommand(argv: readonly string[], tree: CommandTree): readonly string[] {
  const [first, ...words] = argv;
  const depth = findGroup(tree, argv).length;
  if (depth > 0 && argv[depth] === "help")
    return [...argv.slice(0, depth), ...argv.slice(depth + 1), "--help"];
  if (first !== "help" || words[0]?.startsWith("-")) return argv;
  const isCommand = findNoun(tree, words[0]) || tree.commands[""]?.some(({ name }) => name === words[0]);
  return words.length === 0 || isCommand ? [...words, "--help"] : argv;
}

/** With `--json`, stderr is NDJSON, also for an invalid command line. Words after `--` belong to a child process. */
export function chooseStderrForm(context: Context, argv: readonly string[]): Context {
  const words = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : undefined);
  const isJson = words.includes("--json") || words.includes("--ndjson");
  return isJson ? withMessages(context, "ndjson") : context;
}

const withMessages = (context: Context, messages: OutputStream["messages"]): Context =>
  copyWith(context, { stderr: copyWith(context.stderr, { messages }) });

const withSecrets = (context: Context): Context =>
  copyWith(context, { stderr: copyWith(context.stderr, { secrets: new Set() }) });

/** Copies accessors, so that they stay lazy. */
const copyWith = <T extends object>(value: T, changes: object): T =>
  Object.defineProperties({} as T, {
    ...Object.getOwnPropertyDescriptors(value),
    ...Object.getOwnPropertyDescriptors(changes),
  });

function withSandboxName(context: Context, sandboxName: string | undefined): Context {
  if (sandboxName === undefined) return context;
  const nouns = RECORD_NOUNS.map(({ name }) => name);
  const addSandboxName = createSandboxNamer(nouns, sandboxName);
  return copyWith(context, {
    stdout: copyWith(context.stdout, { addSandboxName }),
    stderr: copyWith(context.stderr, { addSandboxName }),
  });
}

export function reportError(context: Context, error: unknown): number {
  const { exitCode, json, text } = formatError(error, context.signal);
  writeToStderr(context, text, json);
  return exitCode;
}

/** Runs the command, prints its output and then the failure that the output may contain, and cleans up. */
async function executeCommand(spec: AnyCommand, given: Context, invocation: Parameters<ExecuteCommand>[1]) {
  await refuseReplacedInputs(given, spec, invocation);
  const cleanups: (() => Promise<void>)[] = [];
  const global = applySuffixOfOut(invocation.global, spec.output);
  // --verbose asks for notes.
  const context = global.quiet && !global.verbose ? withMessages(given, "warnings") : given;
  try {
    const output = await spec.run(context, {
      ...invocation,
      global,
      remote: spec.remote,
      requestTimeout: spec.waitsForJob ? undefined : global.timeout,
      onEnd: (cleanup) => void cleanups.push(cleanup),
    });
    const { print } = await import("./output/print.ts");
    try {
      await print(output, context, global);
    } catch (error) {
      if (spec.remote !== "writes" || output.kind !== "record") throw error;
      const { describeLostOutput } = await import("./output/lost-output.ts");
      return reportError(context, await describeLostOutput(context, error, output, spec));
    }
    if (output.kind === "nothing") return output.exitCode ?? 0;
    const failure = output.kind === "list" ? output.failure?.() : "failure" in output && output.failure;
    return failure ? reportError(context, failure) : 0;
  } catch (error) {
    const { printDryRun } = await import("./output/dry-run.ts");
    await printDryRun(error, context, global);
    return 0;
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}
