import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NOUNS } from "../../../../src/cli/commands/index.ts";
import { complete } from "../../../../src/cli/completion/complete.ts";
import { VALUE_SOURCES } from "../../../../src/cli/completion/values.ts";
import { groupOptions, type OptionSpec } from "../../../../src/cli/framework/options.ts";
import { localProcesses } from "../../../../src/process/identity.ts";
import { fixture } from "../../../support/cli.ts";
import { COMMANDS } from "../../../support/command-tree.ts";
import { sandboxForTest, submitArgs } from "../../../support/sandbox.ts";
import { startScriptedService } from "../../../support/scripted-service.ts";
import { createTerminalContext } from "../../../support/terminal.ts";

/** Kinds of values that completion does not offer. */
const FREE = new Set(
  `address case claim claims client country date deliveries delimiter delivery duration endpoint event=url example fault header hex id json key keys key=value kind=file limit line n name name=path name=value names number operation org other p pair path pause plan prefix rate request route rule scan seed share sink size snapshot status text time topic url what when`.split(
    " ",
  ),
);

/** Runs `claims __complete` and returns its output lines. */
async function completeWords(
  words: readonly string[],
  terminal = createTerminalContext(),
): Promise<string[]> {
  expect(await terminal.run("__complete", "--", ...words)).toBe(0);
  expect(terminal.stderr.text).toBe("");
  return terminal.stdout.text.split("\n").filter(Boolean);
}

const valuesOf = (lines: readonly string[]): string[] => lines.map((line) => line.split("\t")[0] ?? "");

/** Returns a function that submits files to a sandbox with the given environment. */
async function createSubmitter(baseEnv: Readonly<Record<string, string | undefined>>) {
  const { url, credentials } = await sandboxForTest();
  const env = { ...baseEnv, CLAIMS_BASE_URL: url, CLAIMS_API_KEY: credentials.sandbox.apiKey };
  const submit = async (file: string): Promise<string> => {
    const terminal = createTerminalContext({ env });
    await terminal.run(...submitArgs(fixture(file), "-q"));
    return terminal.stdout.text.trim();
  };
  return { env, submit };
}

it("value kinds of arguments and flags each have a source of values, fixed choices or an explicit exemption", () => {
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

describe("claims __complete", () => {
  it("omits flags that are already given, in any form, unless they can repeat", async () => {
    const flags = valuesOf(
      await completeWords(["api", "-i", "GET", "/x", "--paginate", "-H", "A: b", "--timeout=3s", "--"]),
    );
    expect(flags).toEqual(expect.arrayContaining(["--header", "--typed-field", "--json", "--help"]));
    for (const given of ["--include", "--paginate", "--timeout"]) expect(flags).not.toContain(given);
  });

  it("offers files after --, and nothing after an unknown command or after the last argument", async () => {
    expect(await completeWords(["sandbox", "exec", "--", "npm", "te"])).toEqual([":files"]);
    expect(await completeWords(["nonsense", "x", ""])).toEqual([]);
    expect(await completeWords(["diligence", "report", "id", "more"])).toEqual([]);
    expect(await completeWords(["diligence", "check", "--", "--js"])).toEqual([":files"]);
  });

  it("offers the names of running sandboxes", async () => {
    const terminal = createTerminalContext({
      processes: {
        ...localProcesses(process, Date.now),
        statusOf: ({ pid }) => (pid === 1 ? "alive" : "dead"),
      },
    });
    const folder = join(terminal.context.env.CLAIMS_CONFIG_DIR ?? "", "state");
    mkdirSync(folder, { recursive: true });
    for (const [name, pid] of [
      ["ci", 1],
      ["dead", 2],
    ] as const)
      writeFileSync(
        join(folder, `sandbox-${name}.json`),
        JSON.stringify({
          name,
          pid,
          startTime: "1",
          pidNamespace: "",
          url: "http://127.0.0.1:1",
          controlToken: "t",
          credentials: {},
        }),
      );
    expect(await completeWords(["sandbox", "status", "--sandbox-name", ""], terminal)).toEqual([
      "ci\thttp://127.0.0.1:1",
    ]);
  });

  it("offers the submitted jobs of this machine, newest first, and its profiles", async () => {
    const terminal = createTerminalContext();
    const set = (name: string) => ["profiles", "set", name, "--base-url", `https://${name}.example`];
    for (const name of ["one", "two"])
      expect(await createTerminalContext({ env: terminal.context.env }).run(...set(name))).toBe(0);
    expect(
      valuesOf(
        await completeWords(["profile", "use", "t"], createTerminalContext({ env: terminal.context.env })),
      ),
    ).toEqual(["two"]);
    expect(
      await completeWords(
        ["diligence", "status", "x", "--profile", ""],
        createTerminalContext({ env: terminal.context.env }),
      ),
    ).toEqual(expect.arrayContaining([expect.stringMatching(/^one\thttps:\/\/one\.example/)]));
    const { env, submit } = await createSubmitter(terminal.context.env);
    const [first, second] = [await submit("scenario_partial.csv"), await submit("sample_es003.csv")];
    expect(
      valuesOf(await completeWords(["diligence", "report", ""], createTerminalContext({ env }))),
    ).toEqual([second, first]);
    expect(
      await completeWords(["diligence", "report", (first ?? "").slice(0, 6)], createTerminalContext({ env })),
    ).toEqual([expect.stringContaining("scenario_partial.csv")]);
  });

  it("offers nothing and prints no error when a state file is corrupted", async () => {
    const terminal = createTerminalContext();
    const folder = join(terminal.context.env.CLAIMS_CONFIG_DIR ?? "", "state");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "sandbox-x.json"), "{");
    expect(await completeWords(["sandbox", "status", "--sandbox-name", ""], terminal)).toEqual([]);
  });

  it("offers the singular of a noun once the user types it, and the verbs of a group with its flags", async () => {
    const tree = { nouns: NOUNS, commands: COMMANDS };
    const offered = async (...words: string[]) =>
      (await complete(words, tree, async () => ({ candidates: [] }))).candidates.map(({ value }) => value);
    expect(await offered("")).not.toContain("webhook");
    expect(await offered("webhook")).toEqual(expect.arrayContaining(["webhooks", "webhook"]));
    expect(await offered("webhook", "deliveries", "")).toEqual(expect.arrayContaining(["show", "--status"]));
    expect(await offered("help", "sandbox", "clock", "ad")).toEqual(["advance"]);
    expect(await offered("help", "sandbox", "clock", "advance", "")).toEqual([]);
  });

  it("sends no request", async () => {
    const { env, requests } = await startScriptedService((_, response) => response.end());
    for (const words of [
      ["diligence", "status", ""],
      ["diligence", "report", "x", "--profile", ""],
      ["doctor", "-"],
    ])
      await completeWords(words, createTerminalContext({ env }));
    expect(requests).toEqual([]);
  });
});
