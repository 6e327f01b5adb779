import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { mapConcurrently } from "../../src/cli/commands/diligence/batch/map-concurrently.ts";
import { fixture, ROOT, temporaryFolder } from "../support/cli.ts";
import {
  commandOf,
  grade,
  hasPython,
  type Language,
  listFailures,
  type Report,
} from "../support/conformance.ts";
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts";
import { parseBlocks } from "../support/guide-blocks.ts";
import { SEEDS } from "../support/variations.ts";

/** A client of fixtures/conformance with one fault. */
interface FaultyClient {
  readonly client: string;
  readonly language: Language;
  readonly fault: string;
  /** The rule that fails because of the fault. */
  readonly rule: string;
}

const GREASE_SEEDS = IS_EXHAUSTIVE ? SEEDS : SEEDS.slice(0, 1);

const FAULTY_CLIENTS = JSON.parse(
  readFileSync(fixture("conformance/faulty-clients.json"), "utf8"),
) as readonly FaultyClient[];

/** In `npm test`; .ci/run sets CLAIMS_TEST_CLIENTS=all, and .ci/long grades each of them by all rules. */
const SAMPLE = ["KeyInQuery", "AcceptedIsSuccess", "BooleanAsNumber"];
const isSample = !IS_EXHAUSTIVE && process.env.CLAIMS_TEST_CLIENTS !== "all";

/** What else fails than the rule, with what was seen. Assumed rules may fail with it: a refused client gives up, for example. */
const findOthers = (report: Report, rule: string) =>
  listFailures(report).filter(({ id, basis }) => id !== rule && basis === "documented");

/** A rule about an assumption needs a service that varies it, and the one about time-outs a program that runs out of time. */
function optionsFor(rule: string): string[] {
  const [group, dimension = ""] = rule.split(".");
  if (group === "grease") return ["--grease", dimension];
  return rule === "retry.timeout" ? ["--timeout", "8s"] : [];
}

/** The clients mostly wait. */
const CLIENTS_AT_ONCE = 6;

/** A whole run takes half a minute on a free machine. */
const wholeRun = { timeout: 900_000 };

const skipWithoutPython = (language: Language, { skip }: TestContext): void =>
  skip(language === "python" && !hasPython, "the clients in Python are NOT tested: there is no python3");

const LANGUAGES = ["node", "python"] as const;

describe.for(LANGUAGES)("the faulty clients in %s", (language) => {
  const clients = FAULTY_CLIENTS.filter((row) => row.language === language);
  const chosen = isSample ? clients.filter(({ client }) => SAMPLE.includes(client)) : clients;

  it("fail by the rule of their fault, and by no other documented rule", wholeRun, async (test) => {
    skipWithoutPython(language, test);
    const gradeOne = async ({ client, rule }: FaultyClient) => {
      const only = IS_EXHAUSTIVE ? [] : ["--only", rule];
      const { report } = await grade(commandOf(language, "faulty", client), [...only, ...optionsFor(rule)]);
      const fails = listFailures(report).some(({ id }) => id === rule);
      return { client, rule, fails, others: findOthers(report, rule) };
    };
    const wrong: object[] = [];
    for await (const graded of mapConcurrently(chosen, CLIENTS_AT_ONCE, gradeOne))
      if (!graded.fails || graded.others.length > 0) wrong.push(graded);
    expect(wrong).toEqual([]);
    expect(chosen.length).toBeGreaterThan(0);
  });
});

describe.for(isSample ? [] : LANGUAGES)("the correct client in %s", (language) => {
  it("passes every rule", wholeRun, async (test) => {
    skipWithoutPython(language, test);
    const { code, report } = await grade(commandOf(language, "correct"));
    expect(report.rules.filter(({ verdict }) => verdict !== "pass")).toEqual([]);
    expect(code).toBe(0);
  });

  it.for(GREASE_SEEDS)(
    "fails no rule when everything assumed varies, seed %s",
    wholeRun,
    async (seed, test) => {
      skipWithoutPython(language, test);
      const { report } = await grade(commandOf(language, "correct"), [
        "--grease",
        "all",
        "--seed",
        String(seed),
      ]);
      expect(listFailures(report)).toEqual([]);
    },
  );
});

describe.skipIf(isSample)("the script of the guide to conformance, which uses claims", () => {
  const writeScript = (): string[] => {
    const guide = parseBlocks(readFileSync(join(ROOT, "docs/guides/conformance.md"), "utf8"));
    const file = join(temporaryFolder(), "nightly.sh");
    writeFileSync(file, guide.find(({ role }) => role === "file=nightly.sh")?.text ?? "");
    return ["sh", file];
  };

  it("fails no rule", wholeRun, async () => {
    const { code, report } = await grade(writeScript());
    expect(listFailures(report)).toEqual([]);
    expect(code).toBe(0);
  });

  it.for(GREASE_SEEDS)("fails no rule when everything assumed varies, seed %s", wholeRun, async (seed) => {
    const { report } = await grade(writeScript(), ["--grease", "all", "--seed", String(seed)]);
    expect(listFailures(report)).toEqual([]);
  });
});

it("the guide to conformance shows every faulty client", () => {
  const guide = readFileSync(join(ROOT, "docs/guides/conformance.md"), "utf8");
  const rows = FAULTY_CLIENTS.map(
    ({ client, language, fault, rule }) => `| ${client} | ${NAMES[language]} | ${fault} | \`${rule}\` |`,
  );
  expect(guide).toContain(rows.join("\n"));
});

const NAMES: Readonly<Record<Language, string>> = { node: "JavaScript", python: "Python" };
