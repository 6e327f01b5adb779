import type { AnyCommand, ArgumentSpec, OptionSpec } from "../command.ts";
import { longFlag, optionGroups } from "../command-options.ts";
import { commandAt, groupCalled, wordsOf } from "../command-words.ts";
import { HELP_TOPICS } from "../help-topics.ts";
import type { Offers } from "./values.ts";

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
  offers: Offers,
): Promise<Completions> {
  const before = words.slice(0, -1);
  const typed = words.at(-1) ?? "";
  const [first] = before;
  if (first === undefined) return startingWith(typed, beginnings(tree, typed));
  if (first === "help") return startingWith(typed, helpWords(tree, before.slice(1)));
  const noun = nounCalled(first, tree);
  const rest = noun ? before.slice(1) : before;
  const below = noun ? verbsBelow(noun, tree, rest) : NONE;
  const spec = commandAt(tree.commandsOf(noun?.name ?? ""), rest);
  if (!spec) return startingWith(typed, below);
  const { candidates, ...paths } = await within(spec, rest.slice(spec.name.split(" ").length), typed, offers);
  return startingWith(typed, { ...paths, candidates: [...below.candidates, ...candidates] });
}

const NONE: Completions = { candidates: [] };

const startingWith = (typed: string, { candidates, ...rest }: Completions): Completions => ({
  ...rest,
  candidates: candidates.filter(({ value }) => value.startsWith(typed)),
});

const named = (list: readonly { readonly name: string; readonly summary: string }[]): Completions => ({
  candidates: list.map(({ name, summary }) => ({ value: name, description: summary })),
});

/** What may follow the words after a noun: its verbs and groups, or the verbs of a group. */
function verbsBelow(
  { name, groups = {} }: NounInTree,
  tree: CommandTree,
  words: readonly string[],
): Completions {
  const specs = tree.commandsOf(name);
  if (words.length > 1) return NONE;
  if (words.length === 1)
    return named(groupCalled(specs, words[0]).map((spec) => ({ ...spec, name: wordsOf(spec)[1] })));
  const about = Object.entries(groups).map(([group, summary]) => ({ name: group, summary }));
  return named([...specs.filter((spec) => wordsOf(spec)[1] === ""), ...about]);
}

/** Nouns and the verbs that stand alone. A singular is offered to who has begun to type it, lest it be in the way. */
function beginnings({ nouns, commandsOf }: CommandTree, typed: string): Completions {
  if (typed.startsWith("-")) {
    return { candidates: [HELP, { value: "--version", description: "print the version" }] };
  }
  const aliases = nouns.flatMap(({ name, alias }) =>
    alias !== undefined && typed !== "" ? [{ name: alias, summary: `as ${name}` }] : [],
  );
  return named([...nouns, ...aliases, ...commandsOf("")]);
}

const nounCalled = (word: string, { nouns }: CommandTree) =>
  nouns.find(({ name, alias }) => name === word || alias === word);

function helpWords(tree: CommandTree, before: readonly string[]): Completions {
  const { nouns, commandsOf } = tree;
  const [word, ...more] = before;
  if (word === undefined) return named([...nouns, ...commandsOf(""), ...HELP_TOPICS]);
  const noun = nounCalled(word, tree);
  return noun ? verbsBelow(noun, tree, more) : NONE;
}

const HELP: Candidate = { value: "--help", description: "show help" };

interface Flag {
  readonly long: string;
  readonly spec: OptionSpec;
}

const flagsOf = (spec: AnyCommand): Flag[] =>
  optionGroups(spec).flatMap(([, options]) =>
    Object.entries(options).map(([key, option]) => ({ long: longFlag(key), spec: option })),
  );

/** What fits after the words of a command that have been typed so far. */
async function within(
  spec: AnyCommand,
  given: readonly string[],
  typed: string,
  offers: Offers,
): Promise<Completions> {
  const flags = flagsOf(spec);
  const { used, pending, positions, onlyArguments } = read(given, flags, spec);
  if (pending) return valuesOf(pending.value ?? "", pending.choices, offers);

  const assigned = onlyArguments ? null : /^(--[a-z-]+)=/.exec(typed);
  if (assigned) return assignedValues(assigned[1] ?? "", flags, offers);

  const argument = argumentAt(spec.arguments ?? [], positions);
  const free = flags.filter(({ long, spec: option }) => option.repeats || !used.has(long));
  const options: Completions = {
    candidates: [...free.map(({ long, spec: option }) => ({ value: long, description: option.help })), HELP],
  };
  if (argument && (onlyArguments || !typed.startsWith("-"))) {
    return valuesOf(argument.name, argument.choices, offers);
  }
  return onlyArguments ? NONE : options;
}

/** What the words so far come to. */
function read(given: readonly string[], flags: readonly Flag[], spec: AnyCommand) {
  const used = new Set<string>();
  let pending: OptionSpec | undefined;
  let positions = 0;
  let onlyArguments = false;
  for (const word of given) {
    if (pending) pending = undefined;
    else if (onlyArguments || word === "-" || !word.startsWith("-")) {
      positions += 1;
      onlyArguments ||= spec.arguments?.some(({ verbatim }) => verbatim) ?? false;
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

const argumentAt = (specs: readonly ArgumentSpec[], position: number): ArgumentSpec | undefined =>
  specs[position] ?? (specs.at(-1)?.many ? specs.at(-1) : undefined);

const valuesOf = async (
  kind: string,
  choices: readonly string[] | undefined,
  offers: Offers,
): Promise<Completions> =>
  choices ? { candidates: choices.map((value) => ({ value, description: "" })) } : offers(kind);

/** `--environment=sandbox`: the shell replaces the whole word, but for a path, which it completes by itself. */
async function assignedValues(long: string, flags: readonly Flag[], offers: Offers): Promise<Completions> {
  const flag = flags.find((each) => each.long === long);
  if (flag?.spec.value === undefined) return NONE;
  const { candidates, ...rest } = await valuesOf(flag.spec.value, flag.spec.choices, offers);
  return {
    ...rest,
    candidates: candidates.map(({ value, description }) => ({ value: `${long}=${value}`, description })),
  };
}
