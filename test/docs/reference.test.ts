import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { declareProgram } from "../../src/cli/framework/declare.ts";
import { COMMON_OPTIONS, formatLongFlag, groupOptions } from "../../src/cli/framework/options.ts";
import { splitShellWords } from "../../src/domain/webhooks/input-formats/curl.ts";
import { ROOT } from "../support/cli.ts";
import { COMMANDS, TREE } from "../support/command-tree.ts";
import { createTerminalContext } from "../support/terminal.ts";

it("npm run docs -- --check finds no difference between the reference and the code", {
  tags: "large",
}, async () => {
  const check = promisify(execFile)(process.execPath, ["build/docs/generate.js", "--check"], { cwd: ROOT });
  await expect(check).resolves.toMatchObject({ stderr: "" });
});

/** The words of each `claims` command in a shell line, also within `$(…)`. */
function parseCommandLines(example: string): readonly (readonly string[])[] {
  const substitution = /\$\(([^()]*)\)/g;
  const inner = [...example.matchAll(substitution)].map(([, line = ""]) => line);
  return [example.replace(substitution, "value"), ...inner]
    .flatMap((line) => line.replace(/ {2}#.*/, "").split(/ (?:\||&&) /))
    .flatMap((line) => /^(?:\w+=\S+ )*claims (.*)$/.exec(line)?.[1] ?? [])
    .map((line) => splitShellWords(line.replace(/ [<>] .*/, "")));
}

/** Parses the words without running the command, and returns its name. */
async function parseCommand(words: readonly string[]): Promise<string | undefined> {
  let name: string | undefined;
  const { context } = createTerminalContext();
  const execute = async (spec: { readonly name: string }) => {
    name = spec.name;
  };
  await declareProgram(context, execute, TREE, words).parseAsync(words, { from: "user" });
  return name;
}

/** Lines at 80 columns. The two commands that submit have the most options. */
const MAX_HELP_LINES = 50;
const MAX_SUBMIT_HELP_LINES = 60;

describe("the help of each command is short, and names every option", () => {
  const specs = new Map(
    Object.entries(COMMANDS).flatMap(([noun, all]) =>
      all.map((spec) => [["claims", noun, spec.name].filter(Boolean).join(" "), spec] as const),
    ),
  );

  it.each([...specs])("%s", async (path, spec) => {
    const terminal = createTerminalContext();
    Object.assign(terminal.context.stdout, { columns: 80 });
    expect(await terminal.run(...path.split(" ").slice(1), "--help")).toBe(0);
    const help = terminal.stdout.text;
    const limit = /diligence (submit|batch)$/.test(path) ? MAX_SUBMIT_HELP_LINES : MAX_HELP_LINES;
    expect(help.trimEnd().split("\n").length).toBeLessThanOrEqual(limit);
    expect(spec.examples.length).toBeLessThanOrEqual(3);
    expect(help.split("\n").filter((line) => line.length > 80)).toEqual([]);
    const [, examples = ""] = help.split("\nExamples:\n");
    const shown = examples.trimEnd().replaceAll(" \\\n    ", " ").split("\n");
    expect(shown).toEqual(spec.examples.map((line) => `  $ ${line}`));
    for (const [group, options] of groupOptions(spec)) {
      const flags = Object.keys(options).map(formatLongFlag);
      if (group === "command")
        for (const flag of flags) expect(help).toMatch(new RegExp(`^ +(-\\w, )?${flag}( |$)`, "m"));
      else {
        const name = `${group.charAt(0).toUpperCase()}${group.slice(1)}`;
        const line = `${name} options: ${flags.join(", ")} (claims help options)`;
        expect(help.replaceAll(/\n +/g, " ")).toContain(line);
      }
    }
  });

  it("claims help options explains each common option", async () => {
    const terminal = createTerminalContext();
    expect(await terminal.run("help", "options")).toBe(0);
    const common = Object.values(COMMON_OPTIONS).flatMap((options) => Object.keys(options));
    for (const key of common) expect(terminal.stdout.text).toContain(formatLongFlag(key));
  });
});

describe("examples of the commands parse", () => {
  const examples = Object.entries(COMMANDS).flatMap(([noun, specs]) =>
    specs.flatMap((spec) =>
      spec.examples.map(
        (example) => [example, [noun, spec.name].filter(Boolean).join(" "), spec.name] as const,
      ),
    ),
  );

  it.each(examples)("%s", async (example, path, name) => {
    const lines = parseCommandLines(example);
    const own = lines.find((words) => words.slice(0, path.split(" ").length).join(" ") === path);
    // run() rewrites `claims help COMMAND` before it parses.
    if (name === "help") expect(await createTerminalContext().run(...(own ?? []))).toBe(0);
    else expect(await parseCommand(own ?? [])).toBe(name);
    for (const words of lines)
      if (words[0] !== "help") expect(await parseCommand(words)).toBeTypeOf("string");
  });
});
