import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { declareProgram } from "../../src/cli/declare.ts";
import { EXIT_CODES } from "../../src/cli/exit-codes.ts";
import { ROOT } from "../helpers/cli.ts";
import { terminal } from "../helpers/context.ts";

const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

const readme = readFileSync(`${ROOT}README.md`, "utf8");

describe("--help", () => {
  it("has examples for every command, and every flag an example uses exists", () => {
    const commands = leaves(declareProgram(terminal().context, async () => {}));
    expect(commands.length).toBeGreaterThan(10);
    for (const command of commands) {
      let help = "";
      command.configureOutput({ writeOut: (text) => (help += text) });
      command.outputHelp();
      const examples = [...help.matchAll(/^ {2}\$ (.*)$/gm)].map(([, line = ""]) => line);
      expect(examples.length, pathOf(command)).toBeGreaterThan(0);
      for (const example of examples) {
        expect(example).toContain(pathOf(command));
        const own = example.slice(example.indexOf(pathOf(command))).split(/ -- | \| |\)"/)[0] ?? "";
        for (const [flag] of own.matchAll(/(?<=\s)--?[a-z][a-z-]*/g)) expect(help, example).toContain(flag);
      }
    }
  });
});

describe("the README", () => {
  it("has the table of exit codes as the code has it", () => {
    for (const [code, meaning] of Object.entries(EXIT_CODES))
      expect(readme).toContain(`| ${code} | ${meaning} |`);
  });

  it("names only commands and flags that exist", () => {
    const program = declareProgram(terminal().context, async () => {});
    const known = new Map(leaves(program).map((command) => [pathOf(command), command]));
    const lines = [...readme.matchAll(/^(?:\$ |npx )?(claims(?: [a-z]+){1,2})\b(.*)$/gm)];
    expect(lines.length).toBeGreaterThan(5);
    for (const [line, words = "", rest = ""] of lines) {
      const path = known.has(words) ? words : words.split(" ").slice(0, 2).join(" ");
      const command = known.get(path);
      expect(command, line).toBeDefined();
      for (const [flag] of (rest.split(" -- ")[0] ?? "").matchAll(/(?<=\s)--[a-z][a-z-]*/g)) {
        expect(
          command?.options.map(({ long }) => long),
          line,
        ).toContain(flag);
      }
    }
  });
});
