import { CommanderError } from "commander";
import type { DryRun } from "../client/rehearsal.ts";
import type { ClaimsError } from "../domain/errors.ts";
import type { AnyCommand } from "./command.ts";
import { loadAllCommands, type Commands, loadCommandsFor, findGroup, findNoun } from "./commands/index.ts";
import { COMPLETE, printCompletions } from "./complete.ts";
import type { Context } from "./context.ts";
import { declareProgram, type Execute } from "./declare.ts";
import { describeFailure } from "./failure.ts";
import type { GlobalOptions } from "./global-options.ts";
import type { Output } from "./output/output.ts";
import { print } from "./output/print.ts";
import { printableJson } from "./output/printable.ts";
import { curlOutput, isRehearsal, requestOutput } from "./output/rehearsed.ts";
import { asUsageError } from "./usage-error.ts";

/** Commander ends these by an error, after it has shown what was asked for. */
const HELP_SHOWN: ReadonlySet<string> = new Set([
  "commander.help",
  "commander.helpDisplayed",
  "commander.version",
]);

/** Runs one command line (without the program's own name) and resolves to its exit code. */
export async function run(argv: readonly string[], context: Context): Promise<number> {
  if (argv[0] === COMPLETE) {
    await printCompletions(argv.slice(1), context);
    return 0;
  }
  const commands = await loadCommandsFor(argv);
  const words = withoutHelpWord(argv, commands);
  let exitCode = 0;
  const executeOne: Execute = async (spec, invocation) => {
    exitCode = await execute(spec, context, invocation);
  };
  try {
    await declareProgram(context, executeOne, commands, words).parseAsync(words, {
      from: "user",
    });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && HELP_SHOWN.has(error.code)) return 0;
    if (context.signal.reason === "EPIPE") return 0;
    const told = error instanceof CommanderError ? asUsageError(error, words, await loadAllCommands()) : error;
    return tell(context, told, asksForJson(words));
  }
}

/** `claims help diligence submit` and `claims diligence help submit` are `claims diligence submit --help`; what names no command is a topic. */
function withoutHelpWord(argv: readonly string[], commands: Commands): readonly string[] {
  const [first, ...words] = argv;
  const depth = findGroup(argv, commands).length;
  if (depth > 0 && argv[depth] === "help")
    return [...argv.slice(0, depth), ...argv.slice(depth + 1), "--help"];
  if (first !== "help" || words[0]?.startsWith("-")) return argv;
  const isCommand = findNoun(words[0]) || commands[""]?.some(({ name }) => name === words[0]);
  return words.length === 0 || isCommand ? [...words, "--help"] : argv;
}

/** Whether errors are to be JSON; also known for a command line that does not parse. What follows `--` is a child's. */
export function asksForJson(argv: readonly string[]): boolean {
  const own = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : undefined);
  return own.includes("--json") || own.includes("--ndjson");
}

/** Tells an error on stderr and answers its exit code. */
export function tell({ signal, stderr }: Context, error: unknown, json: boolean): number {
  const failure = describeFailure(error, signal);
  const document = stderr.isTerminal ? printableJson(failure.json) : failure.json;
  stderr.writable.write(json ? document : failure.text);
  return failure.exitCode;
}

/** Runs, prints, cleans up; a failure that comes with an answer is told after the answer. */
async function execute(
  spec: AnyCommand,
  context: Context,
  invocation: Parameters<Execute>[1],
): Promise<number> {
  const cleanups: (() => Promise<void>)[] = [];
  const { global } = invocation;
  try {
    const output = await spec.run(context, {
      ...invocation,
      requestTimeout: spec.waits ? undefined : global.timeout,
      onEnd: (cleanup) => void cleanups.push(cleanup),
    });
    await print(output, context, global);
    const failure = failureOf(output);
    if (failure) return tell(context, failure, Boolean(global.json || global.ndjson));
    return output.kind === "nothing" ? (output.exitCode ?? 0) : 0;
  } catch (error) {
    if (!isRehearsal(error)) throw error;
    await tellRequest(error, context, global);
    return 0;
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}

/** What would have been sent, where nothing was to be sent. It is no answer, and has neither fields nor ids. */
function tellRequest(
  { request }: DryRun,
  context: Context,
  { print: form, json, ndjson, out, color }: GlobalOptions,
): Promise<void> {
  const output = form === "curl" ? curlOutput(request) : requestOutput(request);
  return print(output, context, { json: Boolean(json || ndjson), out, color });
}

function failureOf(output: Output): ClaimsError | undefined {
  if (output.kind === "record") return output.failure;
  return output.kind === "list" ? output.failure?.() : undefined;
}
