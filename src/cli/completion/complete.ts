import type { Context } from "../context.ts";
import type { ArgumentSpec } from "../framework/command.ts";
import {
  type CommandTree,
  findNamedCommand,
  findNoun,
  listNextWords,
  type NextWord,
} from "../framework/command-tree.ts";
import { splitGlobalOptions } from "../framework/global-options.ts";
import { HELP_TOPICS } from "../framework/help-topics.ts";
import {
  describeInput,
  formatLongFlag,
  GLOBAL_OPTIONS,
  listOptions,
  type OptionSpec,
} from "../framework/options.ts";

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
  loadTree: (words: readonly string[]) => Promise<CommandTree>,
): Promise<void> {
  const line = args.slice(args.indexOf("--") + 1);
  const { candidates, paths } = complete(line, await loadTree(line));
  const lines = candidates.map(({ value, description }) => `${value}\t${description}\n`);
  context.stdout.writable.write(lines.join("") + (paths ? `:${paths}\n` : ""));
}

/** @param words without the program's name. The user types the last one; it may be empty */
export function complete(words: readonly string[], tree: CommandTree): Completions {
  const typed = words.at(-1) ?? "";
  const { candidates, ...paths } = listCompletions(words.slice(0, -1), typed, tree);
  return { ...paths, candidates: candidates.filter(({ value }) => value.startsWith(typed)) };
}

function listCompletions(line: readonly string[], typed: string, tree: CommandTree): Completions {
  const { leading, rest: before } = splitGlobalOptions(line);
  const globals = leading.flatMap(({ words }) => words);
  const [first, ...others] = before;
  if (first === undefined) {
    const flags = toFlags(Object.entries(GLOBAL_OPTIONS));
    if (!typed.startsWith("-") && !parseWords(globals, flags, []).pending)
      return { candidates: listFirstWords(tree, typed) };
    const { candidates, ...paths } = completeArguments([], flags, globals, typed);
    return { ...paths, candidates: typed.startsWith("-") ? [...candidates, VERSION] : candidates };
  }
  if (first === "help" && !typed.startsWith("-")) return { candidates: listHelpWords(tree, others) };
  const { spec, nameLength } = findNamedCommand(tree, before);
  const verbs = toCandidates(listNextWords(tree, before));
  if (!spec) return { candidates: verbs };
  const flags = toFlags(listOptions(spec));
  const given = [...globals, ...before.slice(nameLength)];
  const { candidates, ...paths } = completeArguments(spec.arguments ?? [], flags, given, typed);
  return { ...paths, candidates: [...verbs, ...candidates] };
}

const HELP: Candidate = { value: "--help", description: "show help" };
const VERSION: Candidate = { value: "--version", description: "print the version" };

const toCandidates = (words: readonly NextWord[]): readonly Candidate[] =>
  words.map(({ name, summary }) => ({ value: name, description: summary }));

/** Singulars only appear when the user has begun to type. */
function listFirstWords(tree: CommandTree, typed: string): readonly Candidate[] {
  const aliases = tree.nouns.flatMap(({ name, alias }) =>
    alias !== undefined && typed !== "" ? [{ name: alias, summary: `as ${name}` }] : [],
  );
  return toCandidates([...listNextWords(tree, []), ...aliases]);
}

function listHelpWords(tree: CommandTree, words: readonly string[]): readonly Candidate[] {
  if (words.length === 0) return toCandidates([...listNextWords(tree, []), ...HELP_TOPICS]);
  return findNoun(tree, words[0]) ? toCandidates(listNextWords(tree, words)) : [];
}

interface Flag {
  readonly long: string;
  readonly spec: OptionSpec;
}

const toFlags = (options: readonly (readonly [key: string, spec: OptionSpec])[]): readonly Flag[] =>
  options.map(([key, spec]) => ({ long: formatLongFlag(key), spec }));

function completeArguments(
  specs: readonly ArgumentSpec[],
  flags: readonly Flag[],
  given: readonly string[],
  typed: string,
): Completions {
  const { used, pending, positions, onlyArguments } = parseWords(given, flags, specs);
  if (pending) return listValues(pending.value, pending.choices);

  const [, assigned] = (!onlyArguments && /^(--[a-z-]+)=/.exec(typed)) || [];
  if (assigned !== undefined) {
    const option = flags.find(({ long }) => long === assigned)?.spec;
    if (option?.value === undefined) return { candidates: [] };
    // The shell replaces the whole word, but it completes a path without the flag.
    const { candidates, ...paths } = listValues(option.value, option.choices);
    return {
      ...paths,
      candidates: candidates.map((each) => ({ ...each, value: `${assigned}=${each.value}` })),
    };
  }

  const last = specs.at(-1);
  const argument = specs[positions] ?? (last?.isVariadic ? last : undefined);
  if (argument && (onlyArguments || !typed.startsWith("-")))
    return listValues(argument.name, argument.choices);
  if (onlyArguments) return { candidates: [] };
  const unused = flags.filter(({ long, spec: option }) => option.repeats || !used.has(long));
  return {
    candidates: [
      ...unused.map(({ long, spec: option }) => ({ value: long, description: describeInput(option) })),
      HELP,
    ],
  };
}

/** Arguments and values of options that are paths, by their names in the declarations. */
const FILE_KINDS: readonly string[] = ["command", "file", "files", "from", "program", "source", "to"];

function listValues(kind = "", choices: readonly string[] = []): Completions {
  const candidates = choices.map((value) => ({ value, description: "" }));
  if (FILE_KINDS.includes(kind)) return { candidates, paths: "files" };
  return kind === "dir" ? { candidates, paths: "folders" } : { candidates };
}

/** Which flags and how many arguments the words contain, and the flag that waits for its value. */
function parseWords(given: readonly string[], flags: readonly Flag[], specs: readonly ArgumentSpec[]) {
  const used = new Set<string>();
  let pending: OptionSpec | undefined;
  let positions = 0;
  let onlyArguments = false;
  for (const word of given) {
    if (pending) pending = undefined;
    else if (onlyArguments || word === "-" || !word.startsWith("-")) {
      positions += 1;
      onlyArguments ||= specs.some(({ isPassThrough }) => isPassThrough);
    } else if (word === "--") onlyArguments = true;
    else {
      const name = word.replace(/=.*$/s, "");
      const flag = flags.find(({ long, spec: { short } }) => long === name || `-${short}` === name);
      if (flag) used.add(flag.long);
      if (flag?.spec.value !== undefined && name === word) pending = flag.spec;
    }
  }
  return { used, pending, positions, onlyArguments };
}
