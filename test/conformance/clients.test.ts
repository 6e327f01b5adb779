import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { createLimit } from "../../src/domain/limit.ts";
import { fixture, ROOT, runCli, temporaryFile } from "../support/cli.ts";
import {
  commandOf,
  grade,
  hasPython,
  type Language,
  listFailures,
  type Report,
} from "../support/conformance.ts";
import { IS_EXHAUSTIVE, isInTurn } from "../support/exhaustive.ts";
import { parseBlocks } from "../support/guide-blocks.ts";
import { hasProgram } from "../support/shells.ts";
import { SEEDS } from "../support/variations.ts";

/** A client of fixtures/conformance with one fault. */
interface FaultyClient {
  readonly client: string;
  readonly language: Language;
  readonly fault: string;
  /** The rule that fails because of the fault. */
  readonly rule: string;
  /** Of a variation that shows it: fields in another order, for example, stay as they are when JSON is printed again. */
  readonly seed?: number;
}

const GREASE_SEEDS = IS_EXHAUSTIVE ? SEEDS : SEEDS.slice(0, 1);

const FAULTY_CLIENTS = JSON.parse(
  readFileSync(fixture("conformance/faulty-clients.json"), "utf8"),
) as readonly FaultyClient[];

/** With what was seen. Assumed rules may fail with another rule: a refused client gives up, for example. */
const listDocumentedFailures = (report: Report) =>
  listFailures(report).filter(({ basis }) => basis === "documented");

/** A rule about an assumption needs a service that varies it. */
function optionsFor({ rule, seed = 1 }: FaultyClient): string[] {
  const [group, dimension = ""] = rule.split(".");
  return group === "grease" ? ["--grease", dimension, "--seed", String(seed)] : [];
}

/** Each runs in several scenarios at once. */
const CLIENTS_AT_ONCE = 2;

/** .ci/run grades a part of the clients, another one for each commit, and .ci/long all. */
const inParts =
  (parts: number) =>
  (_: unknown, index: number): boolean =>
    isInTurn(index, parts);

/** A whole run takes half a minute on a free machine. */
const wholeRun = { timeout: 900_000 };

const skipWithoutPython = (language: Language, { skip }: TestContext): void =>
  skip(language === "python" && !hasPython, "the clients in Python are NOT tested: there is no python3");

const LANGUAGES = ["node", "python"] as const;

describe.for(LANGUAGES)("the faulty clients in %s", (language) => {
  const clients = FAULTY_CLIENTS.filter((row) => row.language === language).filter(inParts(8));

  it("fail by the rule of their fault, and by no other documented rule", wholeRun, async (test) => {
    skipWithoutPython(language, test);
    // .ci/long grades each of them by all rules.
    const gradeOne = async (faulty: FaultyClient) => {
      const { client, rule } = faulty;
      const only = IS_EXHAUSTIVE ? [] : ["--only", rule];
      const { report } = await grade(commandOf(language, "faulty", client), [...only, ...optionsFor(faulty)]);
      const fails = listFailures(report).some(({ id }) => id === rule);
      return { client, rule, fails, others: listDocumentedFailures(report).filter(({ id }) => id !== rule) };
    };
    const limit = createLimit(CLIENTS_AT_ONCE);
    const graded = await Promise.all(clients.map((client) => limit(() => gradeOne(client))));
    expect(graded.filter(({ fails, others }) => !fails || others.length > 0)).toEqual([]);
    expect(clients.length).toBeGreaterThan(0);
  });
});

/** The service as it is, and with everything assumed varied. */
const SERVICES = [[], ...GREASE_SEEDS.map((seed) => ["--grease", "all", "--seed", String(seed)])];

/** .ci/run judges by the documented rules, which need few of the scenarios. */
async function selectRules(): Promise<string[]> {
  if (IS_EXHAUSTIVE) return [];
  const { stdout } = await runCli(["conformance", "list", "--json"]);
  const { rules } = JSON.parse(stdout) as Pick<Report, "rules">;
  const own = rules.filter(({ basis }) => basis === "documented");
  return own.flatMap(({ id }) => ["--only", id]);
}

/** Grades a program on each of the services. Returns the reports in that order. */
async function gradeEverywhere(command: readonly string[]) {
  const rules = await selectRules();
  const limit = createLimit(CLIENTS_AT_ONCE);
  const gradeOn = async (options: string[]) => (await grade(command, [...rules, ...options])).report;
  return Promise.all(SERVICES.map((options) => limit(() => gradeOn(options))));
}

/** What a correct client has no reason to do. */
const UNUSED = /^(grease\.|credential\.api_key|alias\.)/;

describe.for(LANGUAGES.filter(inParts(2)))("the correct client in %s", (language) => {
  it("passes every rule, and fails none when everything assumed varies", wholeRun, async (test) => {
    skipWithoutPython(language, test);
    const reports = await gradeEverywhere(commandOf(language, "correct"));
    expect(reports.map(listFailures)).toEqual(SERVICES.map(() => []));
    const touched = reports[0]?.rules.filter(({ id }) => !UNUSED.test(id));
    expect(touched?.filter(({ verdict }) => verdict === "untouched")).toEqual([]);
  });
});

/** Written from the interface alone, by someone who did not see the rules. */
const PARTNERS = {
  perl: ["perl", "nightly.pl"],
  java: ["java", "-XX:TieredStopAtLevel=1", "Nightly.java"],
} as const;

describe.for(Object.entries(PARTNERS).filter(inParts(2)))(
  "the partner's client in %s",
  ([language, [program, ...args]]) => {
    const isMissing = !hasProgram(program);

    it("fails no rule, of any basis", wholeRun, async ({ skip }) => {
      skip(isMissing, `the client in ${language} is NOT tested: there is no ${program}`);
      const words = args.map((word) => (word.includes(".") ? fixture(`conformance/partners/${word}`) : word));
      const command = `STATE_DIR=$(dirname "$CLAIMS_CONFORMANCE_FILE") exec ${[program, ...words].join(" ")}`;
      const rules = await selectRules();
      const { code, report } = await grade(["sh", "-c", command], [...rules, "--fail-on", "advice"]);
      expect([code, listFailures(report)]).toEqual([0, []]);
    });
  },
);

it(
  "the script of the guide, which uses claims, fails no rule, also when everything assumed varies",
  wholeRun,
  async () => {
    const guide = parseBlocks(readFileSync(join(ROOT, "docs/guides/conformance.md"), "utf8"));
    const file = temporaryFile("client.sh", guide.find(({ role }) => role === "file=client.sh")?.text ?? "");
    const reports = await gradeEverywhere(["sh", file]);
    expect(reports.map(listFailures)).toEqual(SERVICES.map(() => []));
    const passed = reports.map(({ rules }) =>
      rules.filter(({ verdict }) => verdict === "pass").map(({ id }) => id),
    );
    for (const ids of passed) expect(ids).toContain("submit.job_id");
  },
);

it.skipIf(!hasPython)(
  "the example in Python works and fails no documented rule, also when everything assumed varies",
  async () => {
    const example = ["python3", "-B", join(ROOT, "docs/examples/partner_test.py")];
    for (const options of SERVICES) {
      const { report } = await grade(example, ["--passive", ...options]);
      expect(report.scenarios).toMatchObject([{ runs: [{ exitCode: 0 }] }]);
      expect(listDocumentedFailures(report)).toEqual([]);
      expect(report.rules.find(({ id }) => id === "credential.bearer")?.verdict).toBe("pass");
    }
  },
);

it("every rule that can fail has a faulty client", async () => {
  const { stdout } = await runCli(["conformance", "list", "--json"]);
  const { rules } = JSON.parse(stdout) as { rules: { id: string }[] };
  const tested = new Set(FAULTY_CLIENTS.map(({ rule }) => rule));
  expect(rules.map(({ id }) => id).filter((id) => !tested.has(id))).toEqual([]);
});

it("the guide to conformance shows every faulty client", () => {
  const guide = readFileSync(join(ROOT, "docs/guides/conformance.md"), "utf8");
  const rows = FAULTY_CLIENTS.map(
    ({ client, language, fault, rule }) => `| ${client} | ${NAMES[language]} | ${fault} | \`${rule}\` |`,
  );
  expect(guide).toContain(rows.join("\n"));
});

const NAMES: Readonly<Record<Language, string>> = { node: "JavaScript", python: "Python" };
