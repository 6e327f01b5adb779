import type { Command } from "commander";
import { declareProgram } from "../../src/cli/declare.ts";
import { terminal } from "./context.ts";

const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);

/** As it is typed: `claims diligence submit`. */
export const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

/** Every command that can be run, by its path. */
export const commandsOf = (): Map<string, Command> =>
  new Map(leaves(declareProgram(terminal().context, async () => {})).map((leaf) => [pathOf(leaf), leaf]));

/** What `--help` prints. */
export function helpOf(command: Command): string {
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  return help;
}

/** The flags in the rest of a command line. */
export const flagsAfter = (rest: string): string[] =>
  [...rest.matchAll(/(?<=\s)--?[A-Za-z][a-z-]*/g)].map(([flag]) => flag);
