import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NOUNS } from "../../../../../src/cli/commands/index.ts";
import { EXIT_CODES } from "../../../../../src/cli/exit-codes.ts";
import { ENVIRONMENT_VARIABLES } from "../../../../../src/cli/framework/environment-variables.ts";
import { HELP_TOPICS } from "../../../../../src/cli/framework/help-topics.ts";
import { ROOT } from "../../../../support/cli.ts";
import {
  COMMANDS,
  listCommands,
  parseFlags,
  pathOf,
  renderHelp,
  TREE,
} from "../../../../support/command-tree.ts";
import { createTerminalContext } from "../../../../support/terminal.ts";

const pages = [
  join(ROOT, "README.md"),
  ...readdirSync(join(ROOT, "docs/guides")).map((name) => join(ROOT, "docs/guides", name)),
]
  .map((path) => readFileSync(path, "utf8"))
  .join("\n");

/** The module that names the options of curl. */
const OTHER_PROGRAMS = ["output/dry-run.ts"];

/** The code of the command line without comments. */
const code = readdirSync(join(ROOT, "src/cli"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !OTHER_PROGRAMS.includes(name))
  .map((name) =>
    readFileSync(join(ROOT, "src/cli", name), "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ""),
  )
  .join("\n");

async function runHelp(...args: string[]) {
  const terminal = createTerminalContext();
  Object.assign(terminal.context.stderr, { columns: terminal.context.stdout.columns });
  const exitCode = await terminal.run(...args);
  return { exitCode, stdout: terminal.stdout.text, stderr: terminal.stderr.text };
}

describe("--help", () => {
  it("lists the verbs of a noun, and the nouns, commands and topics of the program", async () => {
    const { stdout } = await runHelp("--help");
    const narrow = createTerminalContext();
    Object.assign(narrow.context.stdout, { columns: 80 });
    await narrow.run("--help");
    expect(narrow.stdout.text.split("\n").filter((line) => line.length > 80)).toEqual([]);
    for (const { name, summary } of [...NOUNS, ...HELP_TOPICS]) {
      expect(stdout).toMatch(new RegExp(`^ +${name}\\b`, "m"));
      expect(stdout.replace(/\s+/g, " ")).toContain(summary);
    }
    for (const node of TREE.children) {
      expect(stdout).toMatch(new RegExp(`^ +${node.name}\\b`, "m"));
      const help = (await runHelp(node.name, "--help")).stdout;
      for (const { name } of node.children) expect(help).toMatch(new RegExp(`^ +${name}\\b`, "m"));
    }
  });

  it("lists the verbs of a group with its summary", async () => {
    for (const { name: noun, children } of TREE.children) {
      const groups = children.filter((node) => node.children.length > 0);
      for (const { name, spec, summary, children: verbs } of groups) {
        // A word after a command with subcommands names a subcommand, so the command takes no arguments.
        expect(spec?.arguments ?? []).toEqual([]);
        const { exitCode, stdout } = await runHelp(noun, name, "--help");
        expect(exitCode).toBe(0);
        expect(summary).not.toBe("");
        expect(stdout.replace(/\s+/g, " ")).toContain(summary);
        for (const verb of verbs) expect(stdout).toMatch(new RegExp(`^ +${verb.name}\\b`, "m"));
        if (!spec) expect(await runHelp(noun, name)).toEqual({ exitCode: 0, stdout, stderr: "" });
      }
    }
  });
});

describe("claims help", () => {
  it("wraps between words on a narrow terminal", async () => {
    const { context, run, stdout } = createTerminalContext();
    Object.assign(context.stdout, { columns: 60 });
    await run("diligence", "batch", "--help");
    const [, options = ""] = /Options:\n([\s\S]*?)\nExamples:/.exec(stdout.text) ?? [];
    expect(options.split("\n").length).toBeGreaterThan(40);
    for (const line of options.split("\n")) expect(line.length, line).toBeLessThanOrEqual(60);
  });

  it("prints the help of the program, or of the command that it names", async () => {
    expect((await runHelp("help")).stdout).toBe((await runHelp("--help")).stdout);
    const submit = await runHelp("diligence", "submit", "--help");
    expect(await runHelp("help", "diligence", "submit")).toEqual(submit);
    const show = await runHelp("webhooks", "deliveries", "show", "--help");
    expect(show.stdout).toContain("Usage: claims webhooks deliveries show [options] <delivery>");
    expect(await runHelp("help", "webhook", "deliveries", "show")).toEqual(show);
    expect(await runHelp("webhooks", "deliveries", "help", "show")).toEqual(show);
    expect((await runHelp("help", "completion")).stdout).toBe((await runHelp("completion", "--help")).stdout);
  });

  it.each(HELP_TOPICS.map(({ name }) => name))(
    "prints every row of the topic %s, also as JSON",
    async (topic) => {
      const { context, run, stdout, stderr } = createTerminalContext();
      // Wide enough for every cell: a narrow terminal wraps them.
      Object.assign(context.stdout, { columns: 400 });
      expect(await run("help", topic)).toBe(0);
      expect(stderr.text).toBe("");
      const rows = JSON.parse((await runHelp("help", topic, "--json")).stdout) as Record<string, string>[];
      expect(rows.length).toBeGreaterThan(3);
      // The terminal wraps long sentences.
      const shown = stdout.text.replace(/\s+/g, " ");
      for (const row of rows) for (const text of Object.values(row)) expect(shown).toContain(text);
    },
  );

  it("suggests the closest topic", async () => {
    expect((await runHelp("help", "exit-code")).stderr).toContain('did you mean "claims help exit-codes"?');
    expect((await runHelp("help", "xyz")).stderr).toContain("the topics are options, exit-codes,");
    expect(await runHelp("help", "xyz")).toMatchObject({ exitCode: 2, stdout: "" });
  });
});

it.each([
  ["corrects a noun", "diligense", "diligence"],
  ["corrects a verb", "diligence sumbit", "submit"],
  ["adds the noun that a verb lacks", "submit x.csv", '"claims diligence submit"'],
  ["corrects a verb and adds its noun", "submti x.csv", '"claims diligence submit"'],
  ["corrects the verb of a group", "webhooks deliveries shwo x", '"claims webhooks deliveries show"'],
  ["adds the noun that a group lacks", "clock advance 3d", '"claims sandbox clock"'],
  ["adds the group that a verb lacks", "sandbox advance 3d", '"claims sandbox clock advance"'],
  [
    "moves a flag to the end of a command",
    "webhooks deliveries -q show x",
    "options follow the whole command",
  ],
  ["corrects a flag", "diligence submit x.csv --seler-name S", "--seller-name"],
  ["corrects the value of a flag", "diligence wait x --environment sandbx", "sandbox"],
  ["corrects the name of a shell", "completion zhs", "zsh"],
  [
    "does not repeat a missing option",
    "diligence submit x.csv --no-input",
    "hint: name of the seller, as in: claims",
  ],
  ["moves a flag after the command", "--last diligence status", "options of a command follow it"],
])("a suggestion for an unknown word %s", async (_, line, suggestion) => {
  const { exitCode, stderr } = await runHelp(...line.split(" "));
  expect(exitCode).toBe(2);
  expect(stderr).toContain(suggestion);
});

describe("messages and help texts", () => {
  it("name only existing flags", () => {
    const known = new Set(
      [...listCommands().values()].flatMap(({ options }) => options.map(({ long }) => long)),
    );
    for (const flag of ["--help", "--version", "--new-word", "--no-config", "--liftoff-only", "--env-file"])
      known.add(flag);
    for (const [flag] of code.matchAll(/(?<=[\s"'`(|])--[a-z][a-z-]+(?=["'`\s,;)=?.]|$)/g))
      expect([...known], flag).toContain(flag);
  });

  it("name only existing commands", () => {
    for (const [line, noun = "", verb = "", third = ""] of code.matchAll(
      /\bclaims ([a-z]+) ([a-z]+)\b(?! \$\{)(?: ([a-z]+))?/g,
    )) {
      const found = NOUNS.find(({ name }) => name === noun);
      if (!found) continue;
      const paths = COMMANDS[found.name].map(({ name }) => name);
      expect(paths.includes(verb) ? verb : `${verb} ${third}`, line).toBeOneOf(paths);
    }
    for (const [line, noun = ""] of code.matchAll(/`claims ([a-z]+)/g))
      expect(
        [...NOUNS, ...COMMANDS[""]].map(({ name }) => name),
        line,
      ).toContain(noun);
  });

  it("name only documented variables", () => {
    // Variables that a sandbox sets for other programs and later commands.
    const others = /^CLAIMS_(PRODUCTION_API_KEY|CONTROL_URL|CONTROL_TOKEN|CONFORMANCE_\w+)$/;
    const named = new Set([...code.matchAll(/\bCLAIMS_[A-Z_]+[A-Z]\b/g)].map(([name]) => name));
    expect([...named].filter((name) => !(name in ENVIRONMENT_VARIABLES) && !others.test(name))).toEqual([]);
  });
});

describe("README and guides", () => {
  it("list the exit codes of the code", () => {
    const rows = Object.entries(EXIT_CODES).map(([status, meaning]) => `| ${status} | ${meaning} |`);
    expect(pages.match(/^\| \d+ \| .*$/gm)).toEqual(rows);
  });

  it("name only existing commands and flags", () => {
    const known = listCommands();
    // A command on its own line, after other shell words, or between backquotes.
    const before = /(?<=^|\$ |npx |\(|[`']|^ +|claims |sandbox )/.source;
    const lines = [...pages.matchAll(new RegExp(`${before}(claims(?: [a-z]+){1,3})\\b([^\`'\\n]*)`, "gm"))];
    expect(lines.length).toBeGreaterThan(5);
    for (const [line, words = "", rest = ""] of lines) {
      const parts = words.split(" ");
      const paths = parts.map((_, at) => parts.slice(0, parts.length - at).join(" "));
      const command = paths.flatMap((path) => known.get(path) ?? []).at(0);
      expect(command, line).toBeDefined();
      if (!command) continue;
      for (const flag of parseFlags(rest.split(/ -- | \|\| | \| |\$\(/)[0] ?? ""))
        expect(renderHelp(command), `${pathOf(command)}: ${line}`).toContain(flag);
    }
  });
});

it("the help of an offline command mentions no service and no ids", async () => {
  for (const words of ["diligence check", "webhooks verify", "webhooks sign", "contract assumptions"]) {
    const { stdout } = await runHelp(...words.split(" "), "--help");
    expect(stdout).toContain("Output options: --json,");
    expect(stdout).not.toMatch(/Service options|print ids/);
  }
});
