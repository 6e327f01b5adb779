import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { complete } from "../../../../src/cli/completion/complete.ts";
import { VALUE_SOURCES } from "../../../../src/cli/completion/values.ts";
import type { AnyCommand } from "../../../../src/cli/framework/command.ts";
import type { CommandTree } from "../../../../src/cli/framework/command-tree.ts";
import { groupOptions, type OptionSpec } from "../../../../src/cli/framework/options.ts";
import { localProcesses } from "../../../../src/process/identity.ts";
import { fixture } from "../../../support/cli.ts";
import { COMMANDS } from "../../../support/command-tree.ts";
import { sandboxForTest, submitArgs } from "../../../support/sandbox.ts";
import { startScriptedService } from "../../../support/scripted-service.ts";
import { createTerminalContext } from "../../../support/terminal.ts";

/** Kinds of values that completion cannot know. */
const FREE = new Set(
  `address claim claims client country date deliveries delivery duration endpoint event=url fault header hex id json key key=value kind=file limit n name name=value names number org other p path pause prefix rate request scan seed share sink size snapshot status text time topic url`.split(
    " ",
  ),
);

/** What the hidden word prints, as lines. */
async function asked(words: readonly string[], person = createTerminalContext()): Promise<string[]> {
  expect(await person.run("__complete", "--", ...words)).toBe(0);
  expect(person.stderr.text).toBe("");
  return person.stdout.text.split("\n").filter(Boolean);
}

const valuesOf = (lines: readonly string[]): string[] => lines.map((line) => line.split("\t")[0] ?? "");

/** Submits from the machine of that environment to a sandbox. */
async function submitter(machine: Readonly<Record<string, string | undefined>>) {
  const { url, credentials } = await sandboxForTest();
  const env = { ...machine, CLAIMS_BASE_URL: url, CLAIMS_API_KEY: credentials.sandbox.apiKey };
  const submit = async (file: string): Promise<string> => {
    const person = createTerminalContext({ env });
    await person.run(...submitArgs(fixture(file), "-q"));
    return person.stdout.text.trim();
  };
  return { env, submit };
}

describe("the kinds of values", () => {
  it("are all known: each has a source, choices, or nothing to offer", () => {
    const unknown = Object.values(COMMANDS)
      .flat()
      .flatMap((spec) => {
        const options = groupOptions(spec).flatMap(([, group]) => Object.values<OptionSpec>(group));
        const kinds = options.flatMap(({ value, choices }) => (value && !choices ? [value] : []));
        const names = (spec.arguments ?? []).flatMap(({ name, choices }) => (choices ? [] : [name]));
        return [...kinds, ...names].map((kind) => [spec.name, kind] as const);
      })
      .filter(([, kind]) => !FREE.has(kind) && !(kind in VALUE_SOURCES));
    expect(unknown).toEqual([]);
  });
});

describe("what fits", () => {
  it("leaves out flags that were given, in any form, but for those that repeat", async () => {
    const flags = valuesOf(
      await asked(["api", "-i", "GET", "/x", "--paginate", "-H", "A: b", "--timeout=3s", "--"]),
    );
    expect(flags).toEqual(expect.arrayContaining(["--header", "--field", "--json", "--help"]));
    for (const given of ["--include", "--paginate", "--timeout"]) expect(flags).not.toContain(given);
  });

  it("are what --grease can vary", async () => {
    expect(valuesOf(await asked(["sandbox", "up", "--grease", ""]))).toEqual(
      expect.arrayContaining(["jobIdField", "stateName", "unknownFields", "all"]),
    );
  });

  it("has a description for every flag, verb and noun", async () => {
    for (const words of [[""], ["diligence", ""], ["sandbox", "up", "--"]])
      for (const line of await asked(words)) expect(line).toMatch(/^\S+\t\S/);
  });

  it("is empty after another program's command, an unknown command, or all arguments", async () => {
    expect(await asked(["sandbox", "exec", "--", "npm", "te"])).toEqual([":files"]);
    expect(await asked(["nonsense", "x", ""])).toEqual([]);
    expect(await asked(["diligence", "report", "id", "more"])).toEqual([]);
    expect(await asked(["diligence", "check", "--", "--js"])).toEqual([":files"]);
  });

  it("has the sandboxes that are up", async () => {
    const person = createTerminalContext({
      processes: {
        ...localProcesses(process, Date.now),
        statusOf: ({ pid }) => (pid === 1 ? "alive" : "dead"),
      },
    });
    const folder = join(person.context.env.CLAIMS_CONFIG_DIR ?? "", "state");
    mkdirSync(folder, { recursive: true });
    for (const [name, pid] of [
      ["ci", 1],
      ["dead", 2],
    ] as const)
      writeFileSync(
        join(folder, `sandbox-${name}.json`),
        JSON.stringify({ name, pid, url: "http://127.0.0.1:1", controlToken: "t", credentials: {} }),
      );
    expect(await asked(["sandbox", "status", "--name", ""], person)).toEqual(["ci\thttp://127.0.0.1:1"]);
  });

  it("has the jobs of this machine, the latest first, and its profiles", async () => {
    const person = createTerminalContext();
    const set = (name: string) => ["profiles", "set", name, "--base-url", `https://${name}.example`];
    for (const name of ["one", "two"])
      expect(await createTerminalContext({ env: person.context.env }).run(...set(name))).toBe(0);
    expect(
      valuesOf(await asked(["profile", "use", "t"], createTerminalContext({ env: person.context.env }))),
    ).toEqual(["two"]);
    expect(
      await asked(
        ["diligence", "status", "x", "--profile", ""],
        createTerminalContext({ env: person.context.env }),
      ),
    ).toEqual(expect.arrayContaining([expect.stringMatching(/^one\thttps:\/\/one\.example/)]));
    const { env, submit } = await submitter(person.context.env);
    const [first, second] = [await submit("scenario_partial.csv"), await submit("sample_es003.csv")];
    expect(valuesOf(await asked(["diligence", "report", ""], createTerminalContext({ env })))).toEqual([
      second,
      first,
    ]);
    expect(
      await asked(["diligence", "report", (first ?? "").slice(0, 6)], createTerminalContext({ env })),
    ).toEqual([expect.stringContaining("scenario_partial.csv")]);
  });

  it("is nothing, and no word about it, where what lies there is broken", async () => {
    const person = createTerminalContext();
    const folder = join(person.context.env.CLAIMS_CONFIG_DIR ?? "", "state");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "sandbox-x.json"), "{");
    expect(await asked(["sandbox", "status", "--name", ""], person)).toEqual([]);
  });

  it("takes a noun by its singular, which is offered to who has begun to type it", async () => {
    const tree: CommandTree = {
      nouns: [{ name: "things", alias: "thing", summary: "all of them" }],
      commands: { things: COMMANDS.sandbox },
    };
    const none = async () => ({ candidates: [] });
    const fits = async (...words: string[]) =>
      (await complete(words, tree, none)).candidates.map(({ value }) => value);
    expect(await fits("")).toEqual(["things"]);
    expect(await fits("thi")).toEqual(["things", "thing"]);
    expect(await fits("thing", "st")).toEqual(["status"]);
    expect(await fits("help", "thing", "do")).toEqual(["down"]);
  });

  it("is, after a group, its verbs, beside what the group takes where it is a command", async () => {
    const as = (verb: string, name: string): AnyCommand[] =>
      COMMANDS.sandbox.filter((spec) => spec.name === verb).map((spec) => ({ ...spec, name }));
    const specs = [
      ...as("up", "up"),
      ...as("down", "up down"),
      ...as("exec", "clock exec"),
      ...as("down", "clock down"),
    ];
    const tree: CommandTree = {
      nouns: [{ name: "things", summary: "all", groups: { clock: "its clock" } }],
      commands: { things: specs },
    };
    const none = async () => ({ candidates: [] });
    const fits = async (...words: string[]) =>
      (await complete(words, tree, none)).candidates.map(({ value }) => value);
    expect(await fits("things", "")).toEqual(["up", "clock"]);
    expect(await fits("things", "clock", "do")).toEqual(["down"]);
    expect(await fits("things", "up", "")).toEqual(expect.arrayContaining(["down", "--port"]));
    expect(await fits("things", "up", "down", "--n")).toContain("--name");
    expect(await fits("help", "things", "clock", "")).toContain("exec");
    expect(await fits("help", "things", "clock", "exec", "")).toEqual([]);
  });

  it("is found without a network", async () => {
    const { env, requests } = await startScriptedService((_, response) => response.end());
    for (const words of [
      ["diligence", "status", ""],
      ["diligence", "report", "x", "--profile", ""],
      ["doctor", "-"],
    ])
      await asked(words, createTerminalContext({ env }));
    expect(requests).toEqual([]);
  });
});
