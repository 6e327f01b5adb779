import { groupBy } from "../../domain/group-by.ts";
import type { AnyCommand } from "./command.ts";

interface HasName {
  readonly name: string;
  /** The singular of a plural (product.md §3). */
  readonly alias?: string;
}

export interface Noun<N extends string = string> extends HasName {
  readonly name: N;
  readonly summary: string;
  /** Group → summary, for a group that is not a command itself. */
  readonly groups?: Readonly<Record<string, string>>;
}

/** The loaded commands by noun; `""` has the commands without a noun. */
export type CommandsByNoun = Readonly<Partial<Record<string, readonly AnyCommand[]>>>;

/** The program, a noun, a group or a command. A group may be a command itself. */
export interface CommandNode extends HasName {
  readonly summary: string;
  readonly spec?: AnyCommand | undefined;
  readonly children: readonly CommandNode[];
}

/** A command's name has one or two words: a verb, or a group and a verb. */
export const buildCommandTree = (nouns: readonly Noun[], commands: CommandsByNoun): CommandNode => ({
  name: "claims",
  summary: "",
  children: [
    ...nouns.map((noun) => ({ ...noun, children: toNodes(commands[noun.name], noun.groups) })),
    ...toNodes(commands[""]),
  ],
});

function toNodes(specs: readonly AnyCommand[] = [], groups: Noun["groups"] = {}): readonly CommandNode[] {
  const byFirstWord = groupBy(specs, ({ name }) => name.replace(/ .*/, ""));
  return [...byFirstWord].map(([name, own]) => {
    const spec = own.find((each) => each.name === name);
    const children = own.flatMap((each) =>
      each === spec
        ? []
        : [{ name: each.name.slice(name.length + 1), summary: each.summary, spec: each, children: [] }],
    );
    return { name, summary: spec?.summary ?? groups[name] ?? "", spec, children };
  });
}

export const findNamed = <N extends HasName>(nodes: readonly N[], word: string | undefined): N | undefined =>
  nodes.find(({ name, alias }) => word !== undefined && (name === word || alias === word));

/** What the words name, from the outermost on, as far as they name something. */
export function findPath(tree: CommandNode, words: readonly string[]): readonly CommandNode[] {
  const child = findNamed(tree.children, words[0]);
  return child === undefined ? [] : [child, ...findPath(child, words.slice(1))];
}

/** The names of the noun, the group, or the noun and the group, that a command line starts with. */
export const findGroup = (tree: CommandNode, words: readonly string[]): readonly string[] =>
  findPath(tree, words).flatMap(({ children, name }) => (children.length > 0 ? [name] : []));

/** The command that a command line names, if it does, with all words of its name, and how many of the line those are. */
export function findNamedCommand(tree: CommandNode, words: readonly string[]) {
  const path = findPath(tree, words);
  const name = [tree, ...path].map((node) => node.name).join(" ");
  return { name, spec: path.at(-1)?.spec, nameLength: path.length };
}

/** What may follow the words: below a noun or a group; after none, the nouns and the other commands. */
export function listNext(tree: CommandNode, words: readonly string[]): readonly CommandNode[] {
  const path = findPath(tree, words);
  return path.length === words.length ? (path.at(-1) ?? tree).children : [];
}
