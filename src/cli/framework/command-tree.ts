import type { AnyCommand } from "./command.ts";

export interface Noun<N extends string = string> {
  readonly name: N;
  /** The singular of a plural (product.md §3). */
  readonly alias?: string;
  readonly summary: string;
  /** Group → summary, for a group that is not a command itself. */
  readonly groups?: Readonly<Record<string, string>>;
}

export interface CommandTree {
  readonly nouns: readonly Noun[];
  /** The loaded commands by noun; `""` has the commands without a noun. */
  readonly commands: Readonly<Partial<Record<string, readonly AnyCommand[]>>>;
}

interface HasName {
  readonly name: string;
}

/** A command's name has one or two words: a verb, or a group and a verb. The second is "" if there is one. */
export function splitName({ name }: HasName): readonly [first: string, second: string] {
  const [first = "", second = ""] = name.split(" ");
  return [first, second];
}

export const findNoun = <N extends Noun>(
  { nouns }: { readonly nouns: readonly N[] },
  word: string | undefined,
): N | undefined => nouns.find(({ name, alias }) => word !== undefined && (name === word || alias === word));

/** The command that the words name. The longer name wins: `deliveries show` over `deliveries`. */
export const findCommand = <S extends HasName>(
  specs: readonly S[],
  [first, second]: readonly string[],
): S | undefined =>
  specs.find(({ name }) => name === `${first} ${second}`) ?? specs.find(({ name }) => name === first);

/** The command that a command line names, if it does, with all words of its name, and how many of the line those are. */
export function findNamedCommand(tree: CommandTree, words: readonly string[]) {
  const noun = findNoun(tree, words[0]);
  const rest = noun ? words.slice(1) : words;
  const spec = findCommand(tree.commands[noun?.name ?? ""] ?? [], rest);
  const own = spec?.name.split(" ") ?? findGroup(tree, words).slice(noun ? 1 : 0);
  const names = noun ? [noun.name, ...own] : own;
  return { name: ["claims", ...names].join(" "), noun, rest, spec, nameLength: names.length };
}

export const listGroup = <S extends HasName>(specs: readonly S[], group: string | undefined): readonly S[] =>
  specs.filter((spec) => {
    const [first, second] = splitName(spec);
    return second !== "" && first === group;
  });

/** The noun, the group, or the noun and the group, that a command line starts with. */
export function findGroup(tree: CommandTree, [first, second]: readonly string[]): readonly string[] {
  const noun = findNoun(tree, first);
  const hasGroup = (name: string, group: string | undefined) =>
    listGroup(tree.commands[name] ?? [], group).length > 0;
  if (!noun) return first !== undefined && hasGroup("", first) ? [first] : [];
  return second !== undefined && hasGroup(noun.name, second) ? [noun.name, second] : [noun.name];
}

/** The words that may follow a noun, or a noun and a group, with what they mean; after none, the nouns and the other commands. */
export function listNextWords(tree: CommandTree, words: readonly string[]): readonly NextWord[] {
  const noun = findNoun(tree, words[0]);
  const specs = tree.commands[noun?.name ?? ""] ?? [];
  const [group, ...more] = noun ? words.slice(1) : words;
  if (more.length > 0) return [];
  if (group !== undefined)
    return listGroup(specs, group).map((spec) => ({ name: splitName(spec)[1], summary: spec.summary }));
  const groups = Object.entries(noun?.groups ?? {}).map(([name, summary]) => ({ name, summary }));
  return [...(noun ? [] : tree.nouns), ...specs.filter((spec) => splitName(spec)[1] === ""), ...groups];
}

export interface NextWord extends HasName {
  readonly summary: string;
}
