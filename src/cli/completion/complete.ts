import type { Context } from "../context.ts";
import type { AnyCommand } from "../framework/command.ts";
import { type CommandNode, findNamedCommand, listNext } from "../framework/command-tree.ts";
import { splitGlobalOptions } from "../framework/global-options.ts";
import { HELP_TOPICS } from "../framework/help-topics.ts";
import { describeInput, formatLongFlag, GLOBAL_OPTIONS, listOptions } from "../framework/options.ts";

interface Candidate {
  readonly value: string;
  readonly description: string;
}

interface Completions {
  readonly candidates: readonly Candidate[];
  /** The shell itself completes names of files or folders. */
  readonly paths?: "files" | "folders";
}

/** Prints the completions of a command line. @param args `-- words…`. The user types the last word */
export async function printCompletions(
  args: readonly string[],
  context: Context,
  loadTree: (words: readonly string[]) => Promise<CommandNode>,
): Promise<void> {
  const line = args.slice(args.indexOf("--") + 1);
  const { candidates, paths } = complete(line, await loadTree(line));
  const lines = candidates.map(({ value, description }) => `${value}\t${description}\n`);
  context.stdout.writable.write(lines.join("") + (paths ? `:${paths}\n` : ""));
}

/** @param words without the program's name. The user types the last one; it may be empty */
export function complete(words: readonly string[], tree: CommandNode): Completions {
  const typed = words.at(-1) ?? "";
  const { candidates, ...paths } = listCompletions(words.slice(0, -1), typed, tree);
  return { ...paths, candidates: candidates.filter(({ value }) => value.startsWith(typed)) };
}

function listCompletions(line: readonly string[], typed: string, tree: CommandNode): Completions {
  const { leading, rest } = splitGlobalOptions(line);
  const [first, ...others] = rest;
  const isFlag = typed.startsWith("-");
  if (first === "help" && !isFlag) return { candidates: listHelpWords(tree, others) };
  const { spec, nameLength } = findNamedCommand(tree, rest);
  const options = spec ? listOptions(spec) : Object.entries(first === undefined ? GLOBAL_OPTIONS : {});
  const given = [...leading.flatMap(({ words }) => words), ...rest.slice(nameLength)];
  const hasOnlyArguments = given.includes("--");
  const values = hasOnlyArguments ? null : completeValue(options, given.at(-1), typed);
  if (values) return values;
  const flags = [...listUnusedFlags(options, given), HELP];
  if (first === undefined) return { candidates: isFlag ? [...flags, VERSION] : listFirstWords(tree, typed) };
  const verbs = toCandidates(listNext(tree, rest));
  if (!spec) return { candidates: verbs };
  const argument = hasOnlyArguments || !isFlag ? findArgument(spec, options, given) : undefined;
  const { candidates, ...paths } = argument
    ? listValues(argument.name, argument.choices)
    : { candidates: hasOnlyArguments ? [] : flags };
  return { ...paths, candidates: [...verbs, ...candidates] };
}

const HELP: Candidate = { value: "--help", description: "show help" };
const VERSION: Candidate = { value: "--version", description: "print the version" };

const toCandidates = (words: readonly Pick<CommandNode, "name" | "summary">[]): readonly Candidate[] =>
  words.map(({ name, summary }) => ({ value: name, description: summary }));

/** Singulars only appear when the user has begun to type. */
function listFirstWords({ children }: CommandNode, typed: string): readonly Candidate[] {
  const aliases = children.flatMap(({ name, alias }) =>
    alias !== undefined && typed !== "" ? [{ name: alias, summary: `as ${name}` }] : [],
  );
  return toCandidates([...children, ...aliases]);
}

const listHelpWords = (tree: CommandNode, words: readonly string[]): readonly Candidate[] =>
  toCandidates([...listNext(tree, words), ...(words.length === 0 ? HELP_TOPICS : [])]);

type Options = ReturnType<typeof listOptions>;

const findOption = (options: Options, word = "") =>
  options.find(([key, { short }]) => word === formatLongFlag(key) || word === `-${short}`)?.[1];

/** The values of the option that waits for one, or to which the user assigns one; null without such an option. */
function completeValue(options: Options, before: string | undefined, typed: string): Completions | null {
  const pending = findOption(options, before);
  if (pending?.value !== undefined) return listValues(pending.value, pending.choices);
  const [, assigned] = /^(--[a-z-]+)=/.exec(typed) ?? [];
  if (assigned === undefined) return null;
  const option = findOption(options, assigned);
  if (option?.value === undefined) return { candidates: [] };
  // The shell replaces the whole word, but it completes a path without the flag.
  const { candidates, ...paths } = listValues(option.value, option.choices);
  return {
    ...paths,
    candidates: candidates.map((each) => ({ ...each, value: `${assigned}=${each.value}` })),
  };
}

function listUnusedFlags(options: Options, given: readonly string[]): readonly Candidate[] {
  const used = new Set(given.map((word) => findOption(options, word.replace(/=.*$/s, ""))));
  const unused = options.filter(([, spec]) => spec.repeats || !used.has(spec));
  return unused.map(([key, spec]) => ({ value: formatLongFlag(key), description: describeInput(spec) }));
}

/** The argument that stands at the place of the typed word. */
function findArgument({ arguments: specs = [] }: AnyCommand, options: Options, given: readonly string[]) {
  const isValue = (at: number) => findOption(options, given[at - 1])?.value !== undefined;
  const count = given.filter((word, at) => (word === "-" || !word.startsWith("-")) && !isValue(at)).length;
  const last = specs.at(-1);
  return specs[count] ?? (last?.isVariadic ? last : undefined);
}

/** Arguments and values of options that are paths, by their names in the declarations. */
const FILE_KINDS: readonly string[] = ["command", "file", "files", "from", "program", "source", "to"];

function listValues(kind = "", choices: readonly string[] = []): Completions {
  const candidates = choices.map((value) => ({ value, description: "" }));
  if (FILE_KINDS.includes(kind)) return { candidates, paths: "files" };
  return kind === "dir" ? { candidates, paths: "folders" } : { candidates };
}
