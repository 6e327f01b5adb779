import type { Command } from "commander";
import { loadAllCommands, NOUNS } from "../../src/cli/commands/index.ts";
import { buildCommandTree } from "../../src/cli/framework/command-tree.ts";
import { declareProgram } from "../../src/cli/framework/declare.ts";
import { createTerminalContext } from "./terminal.ts";

export const COMMANDS = await loadAllCommands();

export const TREE = buildCommandTree(NOUNS, COMMANDS);

/** A command and all its subcommands. */
const flattenTree = (command: Command): Command[] => [command, ...command.commands.flatMap(flattenTree)];

/** The words of a command: `claims diligence submit`. */
export const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

/** Every runnable command, by its path. */
export function listCommands(): Map<string, Command> {
  const paths = new Set(
    Object.entries(COMMANDS).flatMap(([noun, specs]) =>
      specs.map(({ name }) => ["claims", noun, name].filter(Boolean).join(" ")),
    ),
  );
  const commands = flattenTree(declareProgram(createTerminalContext().context, async () => {}, TREE))
    .map((command) => [pathOf(command), command] as const)
    .filter(([path]) => paths.has(path));
  return new Map(commands);
}

/** The text that `--help` prints. */
export function renderHelp(command: Command): string {
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  return help;
}

/** The flags in the rest of a command line. */
export const parseFlags = (rest: string): string[] =>
  [...rest.matchAll(/(?<=\s)--?[A-Za-z][a-z-]*/g)].map(([flag]) => flag);
