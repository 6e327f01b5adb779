import { resolve } from "node:path";
import { CommanderError } from "commander";
import { ClaimsError, type InputError, interruptedError } from "../domain/errors.ts";
import { isRecord } from "../domain/json.ts";
import { loadAllCommands, loadCommandsFor, NOUNS } from "./commands/index.ts";
import type { Context, OutputStream, StopReason } from "./context.ts";
import { EXIT_CODE_BY_KIND, type ExitCode } from "./exit-codes.ts";
import { hasErrorCode } from "./files/file-errors.ts";
import { refuseReplacedInput } from "./files/replaced-input.ts";
import type { AnyCommand } from "./framework/command.ts";
import { buildCommandTree, type CommandNode, findGroup, findPath } from "./framework/command-tree.ts";
import { declareProgram, type ExecuteCommand } from "./framework/declare.ts";
import { moveGlobalOptionsAfterCommand, splitGlobalOptions } from "./framework/global-options.ts";
import { HELP_TOPICS } from "./framework/help-topics.ts";
import { formatLongFlag, listOptions } from "./framework/options.ts";
import { applySuffixOfOut, shouldUseColour } from "./output/format.ts";
import { describeHint } from "./output/hints.ts";
import { sanitizeLine } from "./output/sanitize.ts";
import { writeToStderr } from "./output/stderr.ts";

/** The command of the completion scripts. Help does not list it. */
const COMPLETE_COMMAND = "__complete";

/** Commander throws these after it has printed help or the version. */
const HELP_ERROR_CODES: readonly string[] = [
  "commander.help",
  "commander.helpDisplayed",
  "commander.version",
];

const loadTree = async (words: readonly string[]): Promise<CommandNode> =>
  buildCommandTree(NOUNS, await loadCommandsFor(splitGlobalOptions(words).rest));

/** A secret may be pasted in the place of a file or a name, which messages quote. A name with a dot is that of a file. */
const PASTED_SECRET = /(?<![A-Za-z0-9])(?:whsec|sk|cs|at)_[\w-]{16,}(?![\w.-])/g;

export async function run(argv: readonly string[], given: Context): Promise<number> {
  const secrets = new Set(argv.flatMap((word) => word.match(PASTED_SECRET) ?? []));
  const context = copyWith(withStderr(chooseStreamForms(given, argv), { secrets }), {
    sentWrites: new Map(),
  });
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
    exitCode = await executeCommand(spec, context, invocation);
  };
  try {
    const line = moveGlobalOptionsAfterCommand(words, leading, tree);
    await declareProgram(context, execute, tree, line).parseAsync(line, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && HELP_ERROR_CODES.includes(error.code)) return 0;
    if (context.signal.reason === "EPIPE" && !context.sentWrites?.size) return 0;
    if (!(error instanceof CommanderError)) return reportError(context, error);
    const { toUsageError } = await import("./framework/usage-error.ts");
    const all = buildCommandTree(NOUNS, await loadAllCommands());
    return reportError(context, toUsageError(error, words, all));
  }
}

/** `claims help diligence submit` and `claims diligence help submit` become `claims diligence submit --help`. */
function rewriteHelpCommand(argv: readonly string[], tree: CommandNode): readonly string[] {
  const [first, ...words] = argv;
  const depth = findGroup(tree, argv).length;
  if (depth > 0 && argv[depth] === "help")
    return [...argv.slice(0, depth), ...argv.slice(depth + 1), "--help"];
  if (first !== "help" || words[0]?.startsWith("-")) return argv;
  // `claims help mapping` is the table of its keys.
  if (words.length > 0 && HELP_TOPICS.some(({ name }) => name === words[0])) return argv;
  return words.length === 0 || findPath(tree, words).length > 0 ? [...words, "--help"] : argv;
}

/**
 * Decides about the colour of stdout and stderr. With `--json`, stderr is NDJSON, also for an invalid command line. Words after
 * `--` belong to a child process.
 */
export function chooseStreamForms(context: Context, argv: readonly string[]): Context {
  const { env, stderr, stdout } = context;
  const words = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : undefined);
  const isJson = words.includes("--json") || words.includes("--ndjson");
  const flag = words.includes("--no-color") ? false : words.includes("--color") || undefined;
  const colourOf = ({ isTerminal }: OutputStream) => shouldUseColour({ flag, env, isTerminal });
  const changes = { hasColour: colourOf(stderr), ...(isJson && { messages: "ndjson" as const }) };
  const painted = copyWith(context, { stdout: copyWith(stdout, { hasColour: colourOf(stdout) }) });
  return withStderr(painted, changes);
}

const withStderr = (context: Context, changes: Partial<OutputStream>): Context =>
  copyWith(context, { stderr: copyWith(context.stderr, changes) });

/** Copies accessors, so that they stay lazy. */
const copyWith = <T extends object>(value: T, changes: object): T =>
  Object.defineProperties({} as T, {
    ...Object.getOwnPropertyDescriptors(value),
    ...Object.getOwnPropertyDescriptors(changes),
  });

export function reportError(context: Context, error: unknown): number {
  const { exitCode, json, text } = formatError(error, context);
  writeToStderr(context, text, json);
  return exitCode;
}

/** Runs the command, prints its output and then the failure that the output may contain, and cleans up. */
async function executeCommand(spec: AnyCommand, given: Context, invocation: Parameters<ExecuteCommand>[1]) {
  await refuseReplacedInputs(given, spec, invocation);
  const { out = "-" } = invocation.global;
  // A write must not be sent if its result cannot be kept.
  if (spec.remote === "writes" && out !== "-") {
    const { requireWritable } = await import("./files/atomic-file.ts");
    await requireWritable(resolve(given.cwd, out));
  }
  const cleanups: (() => Promise<void>)[] = [];
  const global = applySuffixOfOut(invocation.global, spec.output);
  // --verbose asks for notes.
  const context = global.quiet && !global.verbose ? withStderr(given, { messages: "warnings" }) : given;
  try {
    const output = await spec.run(context, {
      ...invocation,
      global,
      remote: spec.remote,
      requestTimeout: waits(spec, invocation.options) ? undefined : global.timeout,
      onEnd: (cleanup) => void cleanups.push(cleanup),
    });
    const { print } = await import("./output/print.ts");
    try {
      await print(output, context, global);
    } catch (error) {
      if (!context.sentWrites?.size) throw error;
      const { isOutputLost, toOutputLostError } = await import("./output/lost-output.ts");
      if (!isOutputLost(context, error)) return reportError(context, error);
      return reportError(context, await toOutputLostError(context, error, output, spec));
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

/** An error that is not ours is a bug, except after an interruption, which may cause any error. */
function formatError(error: unknown, { signal: { aborted, reason }, stderr }: Context) {
  const known = error instanceof ClaimsError ? error : aborted ? interruptedError(error) : null;
  const signalCode = known?.kind === "interrupted" ? SIGNAL_CODES[reason as StopReason] : undefined;
  const exitCode: ExitCode = signalCode ?? (known ? EXIT_CODE_BY_KIND[known.kind] : 1);
  const hint = known ? describeHint(known) : "this is a bug; please report the command";
  const message = known?.message ?? `unexpected: ${(error as Error)?.message ?? String(error)}`;
  const { code = "unexpected", option, status = null, requestId = null, jobId = null, errors } = known ?? {};
  const retryable = known !== null && isRetryable(known);
  const lines = (errors ?? []).map((each) => `  ${sanitizeLine(formatInputError(each))}\n`).join("");
  return {
    exitCode,
    text: `${stderr.hasColour ? RED_ERROR : "error:"} ${sanitizeLine(message)}\n${lines}hint: ${sanitizeLine(hint)}\n`,
    json: { error: { code, message, hint, option, status, requestId, jobId, retryable, errors, exitCode } },
  };
}

/** Without a package for colours, which would delay each start. */
const RED_ERROR = "\u001b[31merror:\u001b[39m";

const SIGNAL_CODES: Partial<Record<StopReason, ExitCode>> = { SIGHUP: 129, SIGTERM: 143 };

/** What must be tried later can be tried again, unless a permission is missing (product.md §3). */
const isRetryable = ({ cause, kind, retryable }: ClaimsError): boolean =>
  kind === "unreachable" || kind === "pending"
    ? !hasErrorCode(cause ?? {}, "EACCES", "EPERM", "EROFS")
    : retryable && kind !== "needs_decision";

/** `line 3, column seller: empty` */
function formatInputError({ line, column, message }: InputError): string {
  const place = [line !== null && `line ${line}`, column !== null && `column ${column}`].filter(Boolean);
  return place.length === 0 ? message : `${place.join(", ")}: ${message}`;
}

type Values = Readonly<Record<string, unknown>>;

/** Whether it waits for a job: a command with `--wait` only if that was given, or implied by `--pull`. */
const waits = ({ waitsForJob = false, options = {} }: AnyCommand, { wait, pull }: Values): boolean =>
  waitsForJob && (!("wait" in options) || wait === true || pull !== undefined);

/** A command that reads files which no option names checks them itself. @throws ClaimsError `option_conflict` */
async function refuseReplacedInputs(
  context: Context,
  spec: AnyCommand,
  { args, options }: { readonly args: Values; readonly options: Values },
): Promise<void> {
  const ownArguments = (spec.arguments ?? []).filter(({ isPassThrough }) => !isPassThrough);
  for (const [output, { isOutput }] of listOptions(spec)) {
    if (!isOutput) continue;
    const { [output]: paths, ...others } = options;
    // Not every word names a file, but those that do are inputs.
    const words = [...ownArguments.map(({ name }) => args[name]), ...Object.values(others)];
    for (const path of listPaths(paths))
      await refuseReplacedInput(context, formatLongFlag(output), path, listPaths(words));
  }
}

function listPaths(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(listPaths);
  const path = isRecord(value) ? value.file : value;
  return typeof path === "string" ? [path] : [];
}
