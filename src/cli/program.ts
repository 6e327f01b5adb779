import { CommanderError } from "commander";
import type { DryRun } from "../client/dry-run.ts";
import type { ClaimsError } from "../domain/errors.ts";
import { type Commands, findGroup, findNoun, loadAllCommands, loadCommandsFor } from "./commands/index.ts";
import { COMPLETE_COMMAND, printCompletions } from "./completion/print-completions.ts";
import type { Context } from "./context.ts";
import type { AnyCommand } from "./framework/command.ts";
import { declareProgram, type ExecuteCommand } from "./framework/declare.ts";
import type { GlobalOptions } from "./framework/options.ts";
import { toUsageError } from "./framework/usage-error.ts";
import { isDryRunError, renderCurl, renderRequest } from "./output/dry-run.ts";
import { formatError } from "./output/error-report.ts";
import type { Output } from "./output/output.ts";
import { print } from "./output/print.ts";
import { sanitizeJson } from "./output/sanitize.ts";

/** Commander ends these by an error, after it has shown what was asked for. */
const HELP_ERROR_CODES: ReadonlySet<string> = new Set([
  "commander.help",
  "commander.helpDisplayed",
  "commander.version",
]);

/** Runs one command line (without the program's own name) and resolves to its exit code. */
export async function run(argv: readonly string[], context: Context): Promise<number> {
  if (argv[0] === COMPLETE_COMMAND) {
    await printCompletions(argv.slice(1), context);
    return 0;
  }
  const commands = await loadCommandsFor(argv);
  const words = rewriteHelpCommand(argv, commands);
  let exitCode = 0;
  const execute: ExecuteCommand = async (spec, invocation) => {
    exitCode = await executeCommand(spec, context, invocation);
  };
  try {
    await declareProgram(context, execute, commands, words).parseAsync(words, {
      from: "user",
    });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && HELP_ERROR_CODES.has(error.code)) return 0;
    if (context.signal.reason === "EPIPE") return 0;
    const failure =
      error instanceof CommanderError ? toUsageError(error, words, await loadAllCommands()) : error;
    return reportError(context, failure, wantsJson(words));
  }
}

/** `claims help diligence submit` and `claims diligence help submit` are `claims diligence submit --help`; what names no command is a topic. */
function rewriteHelpCommand(argv: readonly string[], commands: Commands): readonly string[] {
  const [first, ...words] = argv;
  const depth = findGroup(argv, commands).length;
  if (depth > 0 && argv[depth] === "help")
    return [...argv.slice(0, depth), ...argv.slice(depth + 1), "--help"];
  if (first !== "help" || words[0]?.startsWith("-")) return argv;
  const isCommand = findNoun(words[0]) || commands[""]?.some(({ name }) => name === words[0]);
  return words.length === 0 || isCommand ? [...words, "--help"] : argv;
}

/** Whether errors are to be JSON; also known for a command line that does not parse. What follows `--` is a child's. */
export function wantsJson(argv: readonly string[]): boolean {
  const ownWords = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : undefined);
  return ownWords.includes("--json") || ownWords.includes("--ndjson");
}

/** Tells an error on stderr and answers its exit code. */
export function reportError({ signal, stderr }: Context, error: unknown, json: boolean): number {
  const failure = formatError(error, signal);
  const document = stderr.isTerminal ? sanitizeJson(failure.json) : failure.json;
  stderr.writable.write(json ? document : failure.text);
  return failure.exitCode;
}

/** Runs, prints, cleans up; a failure that comes with an answer is told after the answer. */
async function executeCommand(
  spec: AnyCommand,
  context: Context,
  invocation: Parameters<ExecuteCommand>[1],
): Promise<number> {
  const cleanups: (() => Promise<void>)[] = [];
  const { global } = invocation;
  try {
    const output = await spec.run(context, {
      ...invocation,
      requestTimeout: spec.waitsForJob ? undefined : global.timeout,
      onEnd: (cleanup) => void cleanups.push(cleanup),
    });
    await print(output, context, global);
    const failure = findFailure(output);
    if (failure) return reportError(context, failure, Boolean(global.json || global.ndjson));
    return output.kind === "nothing" ? (output.exitCode ?? 0) : 0;
  } catch (error) {
    if (!isDryRunError(error)) throw error;
    await printRequest(error, context, global);
    return 0;
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}

/** What would have been sent, where nothing was to be sent. It is no answer, and has neither fields nor ids. */
function printRequest(
  { request }: DryRun,
  context: Context,
  { print: form, json, ndjson, out, color }: GlobalOptions,
): Promise<void> {
  const output = form === "curl" ? renderCurl(request) : renderRequest(request);
  return print(output, context, { json: Boolean(json || ndjson), out, color });
}

function findFailure(output: Output): ClaimsError | undefined {
  if (output.kind === "record") return output.failure;
  return output.kind === "list" ? output.failure?.() : undefined;
}
