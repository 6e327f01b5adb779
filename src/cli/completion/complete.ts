import type { AnyCommand, ArgumentSpec } from "../framework/command.ts";
import { findCommand, listGroup, splitName } from "../framework/command-tree.ts";
import { HELP_TOPICS } from "../framework/help-topics.ts";
import { formatLongFlag, groupOptions, type OptionSpec } from "../framework/options.ts";
import type { ValueCompleter } from "./values.ts";

/** A word that would fit, and what it means. */
export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** What may stand where the cursor is: words, or something that the shell itself knows to complete. */
export interface Completions {
  readonly candidates: readonly Candidate[];
  readonly paths?: "files" | "folders";
}

interface NounInTree {
  readonly name: string;
  readonly alias?: string;
  readonly summary: string;
  readonly groups?: Readonly<Record<string, string>>;
}

/** The commands, as `commands/index.ts` has them. */
export interface CommandTree {
  readonly nouns: readonly NounInTree[];
  readonly commandsOf: (noun: string) => readonly AnyCommand[];
}

/**
 * What fits at the end of a command line.
 *
 * @param words without the program's name; the last one is being typed, and may be empty
 * @param offers what there is to choose from for a kind of value
 */
export async function complete(
  words: readonly string[],
  tree: CommandTree,
  offers: ValueCompleter,
): Promise<Completions> {
  const before = words.slice(0, -1);
  const typed = words.at(-1) ?? "";
  const [first] = before;
  if (first === undefined) return filterByPrefix(typed, completeFirstWord(tree, typed));
  if (first === "help") return filterByPrefix(typed, completeHelpWords(tree, before.slice(1)));
  const noun = findNounInTree(first, tree);
  const rest = noun ? before.slice(1) : before;
  const below = noun ? completeVerbs(noun, tree, rest) : NO_COMPLETIONS;
  const spec = findCommand(tree.commandsOf(noun?.name ?? ""), rest);
  if (!spec) return filterByPrefix(typed, below);
  const { candidates, ...paths } = await completeArguments(
    spec,
    rest.slice(spec.name.split(" ").length),
    typed,
    offers,
  );
  return filterByPrefix(typed, { ...paths, candidates: [...below.candidates, ...candidates] });
}

const NO_COMPLETIONS: Completions = { candidates: [] };

const filterByPrefix = (typed: string, { candidates, ...rest }: Completions): Completions => ({
  ...rest,
  candidates: candidates.filter(({ value }) => value.startsWith(typed)),
});

const toCandidates = (list: readonly { readonly name: string; readonly summary: string }[]): Completions => ({
  candidates: list.map(({ name, summary }) => ({ value: name, description: summary })),
});

/** What may follow the words after a noun: its verbs and groups, or the verbs of a group. */
function completeVerbs(
  { name, groups = {} }: NounInTree,
  tree: CommandTree,
  words: readonly string[],
): Completions {
  const specs = tree.commandsOf(name);
  if (words.length > 1) return NO_COMPLETIONS;
  if (words.length === 1)
    return toCandidates(listGroup(specs, words[0]).map((spec) => ({ ...spec, name: splitName(spec)[1] })));
  const about = Object.entries(groups).map(([group, summary]) => ({ name: group, summary }));
  return toCandidates([...specs.filter((spec) => splitName(spec)[1] === ""), ...about]);
}

/** Nouns and the verbs that stand alone. A singular is offered to who has begun to type it, lest it be in the way. */
function completeFirstWord({ nouns, commandsOf }: CommandTree, typed: string): Completions {
  if (typed.startsWith("-")) {
    return { candidates: [HELP_CANDIDATE, { value: "--version", description: "print the version" }] };
  }
  const aliases = nouns.flatMap(({ name, alias }) =>
    alias !== undefined && typed !== "" ? [{ name: alias, summary: `as ${name}` }] : [],
  );
  return toCandidates([...nouns, ...aliases, ...commandsOf("")]);
}

const findNounInTree = (word: string, { nouns }: CommandTree) =>
  nouns.find(({ name, alias }) => name === word || alias === word);

function completeHelpWords(tree: CommandTree, before: readonly string[]): Completions {
  const { nouns, commandsOf } = tree;
  const [word, ...more] = before;
  if (word === undefined) return toCandidates([...nouns, ...commandsOf(""), ...HELP_TOPICS]);
  const noun = findNounInTree(word, tree);
  return noun ? completeVerbs(noun, tree, more) : NO_COMPLETIONS;
}

const HELP_CANDIDATE: Candidate = { value: "--help", description: "show help" };

interface Flag {
  readonly long: string;
  readonly spec: OptionSpec;
}

const flagsOf = (spec: AnyCommand): Flag[] =>
  groupOptions(spec).flatMap(([, options]) =>
    Object.entries(options).map(([key, option]) => ({ long: formatLongFlag(key), spec: option })),
  );

/** What fits after the words of a command that have been typed so far. */
async function completeArguments(
  spec: AnyCommand,
  given: readonly string[],
  typed: string,
  offers: ValueCompleter,
): Promise<Completions> {
  const flags = flagsOf(spec);
  const { used, pending, positions, onlyArguments } = parseWords(given, flags, spec);
  if (pending) return completeValue(pending.value ?? "", pending.choices, offers);

  const assigned = onlyArguments ? null : /^(--[a-z-]+)=/.exec(typed);
  if (assigned) return completeAssignedValue(assigned[1] ?? "", flags, offers);

  const argument = findArgument(spec.arguments ?? [], positions);
  const free = flags.filter(({ long, spec: option }) => option.repeats || !used.has(long));
  const options: Completions = {
    candidates: [
      ...free.map(({ long, spec: option }) => ({ value: long, description: option.help })),
      HELP_CANDIDATE,
    ],
  };
  if (argument && (onlyArguments || !typed.startsWith("-"))) {
    return completeValue(argument.name, argument.choices, offers);
  }
  return onlyArguments ? NO_COMPLETIONS : options;
}

/** What the words so far come to. */
function parseWords(given: readonly string[], flags: readonly Flag[], spec: AnyCommand) {
  const used = new Set<string>();
  let pending: OptionSpec | undefined;
  let positions = 0;
  let onlyArguments = false;
  for (const word of given) {
    if (pending) pending = undefined;
    else if (onlyArguments || word === "-" || !word.startsWith("-")) {
      positions += 1;
      onlyArguments ||= spec.arguments?.some(({ isPassThrough: verbatim }) => verbatim) ?? false;
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

const completeValue = async (
  kind: string,
  choices: readonly string[] | undefined,
  offers: ValueCompleter,
): Promise<Completions> =>
  choices ? { candidates: choices.map((value) => ({ value, description: "" })) } : offers(kind);

/** `--environment=sandbox`: the shell replaces the whole word, but for a path, which it completes by itself. */
async function completeAssignedValue(
  long: string,
  flags: readonly Flag[],
  offers: ValueCompleter,
): Promise<Completions> {
  const flag = flags.find((each) => each.long === long);
  if (flag?.spec.value === undefined) return NO_COMPLETIONS;
  const { candidates, ...rest } = await completeValue(flag.spec.value, flag.spec.choices, offers);
  return {
    ...rest,
    candidates: candidates.map(({ value, description }) => ({ value: `${long}=${value}`, description })),
  };
}
