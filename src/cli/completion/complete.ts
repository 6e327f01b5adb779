import type { Context } from "../context.ts";
import type { ArgumentSpec } from "../framework/command.ts";
import {
  type CommandTree,
  findNamedCommand,
  findNoun,
  listGroup,
  splitName,
} from "../framework/command-tree.ts";
import { splitGlobalOptions } from "../framework/global-options.ts";
import { HELP_TOPICS } from "../framework/help-topics.ts";
import {
  describeInput,
  formatLongFlag,
  GLOBAL_OPTIONS,
  groupOptions,
  type OptionSpec,
  type OptionSpecs,
} from "../framework/options.ts";
import { sanitizeLine } from "../output/sanitize.ts";
import { type Candidate, type Completions, createValueCompleter, type ValueCompleter } from "./values.ts";

/** Prints the completions of a command line. @param args `-- words…`. The user types the last word */
export async function printCompletions(
  args: readonly string[],
  context: Context,
  loadTree: (words: readonly string[]) => Promise<CommandTree>,
): Promise<void> {
  const line = args.slice(args.indexOf("--") + 1);
  try {
    const completer = createValueCompleter(context);
    const { candidates, paths } = await complete(line, await loadTree(line), completer);
    const lines = candidates.map(({ value, description }) => `${value}\t${sanitizeLine(description)}\n`);
    context.stdout.writable.write(lines.join("") + (paths ? `:${paths}\n` : ""));
  } catch {
    // The user is typing: a message about an unreadable folder would disturb the line.
  }
}

/** @param words without the program's name. The user types the last one; it may be empty */
export async function complete(
  words: readonly string[],
  tree: CommandTree,
  completeValue: ValueCompleter,
): Promise<Completions> {
  const typed = words.at(-1) ?? "";
  const { candidates, ...paths } = await listCompletions(words.slice(0, -1), typed, tree, completeValue);
  return { ...paths, candidates: candidates.filter(({ value }) => value.startsWith(typed)) };
}

async function listCompletions(
  line: readonly string[],
  typed: string,
  tree: CommandTree,
  completeValue: ValueCompleter,
): Promise<Completions> {
  const { leading, rest: before } = splitGlobalOptions(line);
  const globals = leading.flatMap(({ words }) => words);
  const [first, ...others] = before;
  if (first === undefined) {
    const flags = listFlags([GLOBAL_OPTIONS]);
    if (!typed.startsWith("-") && !parseWords(globals, flags, []).pending)
      return { candidates: listFirstWords(tree, typed) };
    const { candidates, ...paths } = await completeArguments([], flags, globals, typed, completeValue);
    return { ...paths, candidates: typed.startsWith("-") ? [...candidates, VERSION] : candidates };
  }
  if (first === "help" && !typed.startsWith("-")) return { candidates: listHelpWords(tree, others) };
  const { noun, rest, spec, nameLength } = findNamedCommand(tree, before);
  const verbs = listVerbs(tree, noun?.name ?? "", rest);
  if (!spec) return { candidates: verbs };
  const flags = listFlags(groupOptions(spec).map(([, options]) => options));
  const given = [...globals, ...before.slice(nameLength)];
  const completed = completeArguments(spec.arguments ?? [], flags, given, typed, completeValue);
  const { candidates, ...paths } = await completed;
  return { ...paths, candidates: [...verbs, ...candidates] };
}

const HELP: Candidate = { value: "--help", description: "show help" };
const VERSION: Candidate = { value: "--version", description: "print the version" };

const toCandidates = (list: readonly { readonly name: string; readonly summary: string }[]): Candidate[] =>
  list.map(({ name, summary }) => ({ value: name, description: summary }));

/** Nouns and standalone commands. Singulars only appear when the user has begun to type. */
function listFirstWords(tree: CommandTree, typed: string): readonly Candidate[] {
  const { nouns } = tree;
  const aliases = nouns.flatMap(({ name, alias }) =>
    alias !== undefined && typed !== "" ? [{ name: alias, summary: `as ${name}` }] : [],
  );
  return [...toCandidates([...nouns, ...aliases]), ...listVerbs(tree, "", [])];
}

function listHelpWords(tree: CommandTree, [word, ...more]: readonly string[]): readonly Candidate[] {
  if (word === undefined)
    return [...toCandidates(tree.nouns), ...listVerbs(tree, "", []), ...toCandidates(HELP_TOPICS)];
  const noun = findNoun(tree, word);
  return noun ? listVerbs(tree, noun.name, more) : [];
}

/** The verbs and groups of a noun, or the verbs of a group. `""` is for the commands without a noun. */
function listVerbs(tree: CommandTree, noun: string, words: readonly string[]): readonly Candidate[] {
  const specs = tree.commands[noun] ?? [];
  if (words.length > 1) return [];
  if (words.length === 1)
    return toCandidates(listGroup(specs, words[0]).map((spec) => ({ ...spec, name: splitName(spec)[1] })));
  const { groups = {} } = findNoun(tree, noun) ?? {};
  return toCandidates([
    ...specs.filter((spec) => splitName(spec)[1] === ""),
    ...Object.entries(groups).map(([name, summary]) => ({ name, summary })),
  ]);
}

interface Flag {
  readonly long: string;
  readonly spec: OptionSpec;
}

const listFlags = (groups: readonly OptionSpecs[]): readonly Flag[] =>
  groups.flatMap((options) =>
    Object.entries(options).map(([key, spec]) => ({ long: formatLongFlag(key), spec })),
  );

async function completeArguments(
  specs: readonly ArgumentSpec[],
  flags: readonly Flag[],
  given: readonly string[],
  typed: string,
  completeValue: ValueCompleter,
): Promise<Completions> {
  const completeSpec = async (kind: string, choices: readonly string[] | undefined): Promise<Completions> =>
    choices ? { candidates: choices.map((value) => ({ value, description: "" })) } : completeValue(kind);
  const { used, pending, positions, onlyArguments } = parseWords(given, flags, specs);
  if (pending) return completeSpec(pending.value ?? "", pending.choices);

  const [, assigned] = (!onlyArguments && /^(--[a-z-]+)=/.exec(typed)) || [];
  if (assigned !== undefined) {
    const option = flags.find(({ long }) => long === assigned)?.spec;
    if (option?.value === undefined) return { candidates: [] };
    // The shell replaces the whole word, but it completes a path without the flag.
    const { candidates, ...paths } = await completeSpec(option.value, option.choices);
    return {
      ...paths,
      candidates: candidates.map((each) => ({ ...each, value: `${assigned}=${each.value}` })),
    };
  }

  const argument = findArgument(specs, positions);
  if (argument && (onlyArguments || !typed.startsWith("-")))
    return completeSpec(argument.name, argument.choices);
  if (onlyArguments) return { candidates: [] };
  const unused = flags.filter(({ long, spec: option }) => option.repeats || !used.has(long));
  return {
    candidates: [
      ...unused.map(({ long, spec: option }) => ({ value: long, description: describeInput(option) })),
      HELP,
    ],
  };
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

const findArgument = (specs: readonly ArgumentSpec[], position: number): ArgumentSpec | undefined =>
  specs[position] ?? (specs.at(-1)?.isVariadic ? specs.at(-1) : undefined);
