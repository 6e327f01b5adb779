import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type CliResult, runCli, runProcess, temporaryFolder } from "./cli.ts";
import { type ForeignService, foreignFile } from "./foreign-service.ts";
import { runOnTerminal } from "./terminal-process.ts";

type Lines = Readonly<Record<string, unknown>>;

/** A mapping that was learned, and what the command said of it. */
export interface LearnedMapping {
  readonly file: string;
  readonly lines: Lines;
  readonly code: number | null;
  readonly text: string;
  readonly proved: number;
  readonly asked: number;
  /** Keys of lines that were taken without a question, and that the documentation contradicts. */
  readonly wrong: readonly string[];
}

const SELLER = "Harbor & Pine Trading, LLC";

/** A clean file, and one whose job ends partial: the services know it by its name, or by an entry of the filer `SBX`. */
async function writeEntryFiles() {
  const folder = temporaryFolder();
  const partial = join(folder, "partial.csv");
  await runCli(["sandbox", "csv", "--scenario", "partial", "--rows", "12", "--out", partial]);
  return { clean: foreignFile("files", "clean.csv"), partial };
}

const learnArgs = (out: string, { clean, partial }: { clean: string; partial: string }): string[] => [
  ...["mapping", "learn", "--submit", clean, "--submit", partial, "--seller-name", SELLER, "--check", "off"],
  ...["--timeout", "60s", "--out", out],
];

/** Learns without a terminal. @param settings lines that the documentation gives */
export async function learnUnattended(
  { env, truth }: ForeignService,
  settings: Lines,
): Promise<LearnedMapping> {
  const file = join(temporaryFolder(), "mapping.json");
  const set = Object.entries(settings).flatMap(([key, line]) => ["--set", `${key}=${toText(line)}`]);
  const result = await runCli([...learnArgs(file, await writeEntryFiles()), ...set], { env });
  return describeLearned(file, result.code, result.stderr, truth.mapping, settings);
}

/** Learns on a pseudo terminal, and answers each question by the documentation. */
export async function learnOnTerminal({ env, truth }: ForeignService): Promise<LearnedMapping> {
  const file = join(temporaryFolder(), "mapping.json");
  const { completion, screen, type } = runOnTerminal(
    learnArgs(file, await writeEntryFiles()),
    { ...env, NO_COLOR: "1", TERM: "dumb" },
    { columns: 200 },
  );
  const PROMPT = "or Enter to leave it open: ";
  const answered: Record<string, unknown> = {};
  let seen = 0;
  let isOver = false;
  const ended = completion.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const at = screen.text.indexOf(PROMPT, seen);
    if (at < 0) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      continue;
    }
    const { key, answer, line } = answerQuestion(screen.text.slice(seen, at), truth.mapping);
    answered[key] = line;
    seen = at + PROMPT.length;
    type(`${answer}\r`);
  }
  return describeLearned(file, await ended, screen.text, truth.mapping, answered);
}

/** The number of the candidate that the documentation names; its own value if none is. */
function answerQuestion(text: string, mapping: Lines) {
  const [, key = ""] = [...text.matchAll(/\(([\w.]+)\)\s*$/gm)].at(-1) ?? [];
  const candidates = [...text.matchAll(/^ {2}(\d+) {2}.*? {2}(\S+)\s*$/gm)].map(([, number, value = ""]) => ({
    number: number ?? "",
    value,
  }));
  const word = key.endsWith(".words") ? Object.keys(JSON.parse(candidates[0]?.value ?? "{}"))[0] : undefined;
  const line = word === undefined ? truthOf(mapping, key) : { [word]: meaningOf(mapping, word) };
  const found = candidates.find(({ value }) => isSameLine(parseLine(value), line));
  return { key, line, answer: found?.number ?? toText(line) };
}

const meaningOf = (mapping: Lines, word: string): unknown => (mapping["job.words"] as Lines)[word] ?? word;

/** What the contract says where the documentation of a service has no line. */
function truthOf(mapping: Lines, key: string): unknown {
  if (key in mapping) return mapping[key];
  if (key.endsWith(".paging")) return mapping.paging ?? "none";
  if (key.endsWith(".id")) return "id";
  return { "error.code": "code", "error.message": "detail", "dataset.rows": "rows" }[key];
}

const toText = (line: unknown): string => (typeof line === "string" ? line : JSON.stringify(line));

const parseLine = (text: string): unknown => (text.startsWith("{") ? JSON.parse(text) : text);

/** Two ends of a counted list are alike: the rows show whether they are right. */
function isSameLine(one: unknown, other: unknown): boolean {
  const plain = (line: unknown) =>
    typeof line === "object" && line !== null
      ? Object.entries(line)
          .filter(
            ([name]) =>
              !["pages", "total", "more", "size", "next"].includes(name) ||
              !("page" in line || "offset" in line),
          )
          .sort()
          .map(([name, value]) => (name === "format" ? "" : `${name}=${value}`))
          .join()
      : line;
  return plain(one) === plain(other);
}

function describeLearned(
  file: string,
  code: number | null,
  text: string,
  mapping: Lines,
  others: Lines,
): LearnedMapping {
  const lines: Lines = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const count = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0);
  const isWrong = ([key, line]: readonly [string, unknown]) => {
    if (key in others) return false;
    if (key === "job.words")
      return Object.entries(line as Lines).some(([word, meaning]) => meaningOf(mapping, word) !== meaning);
    const known = truthOf(mapping, key);
    return known !== undefined && !isSameLine(line, known);
  };
  return {
    file,
    lines,
    code,
    text,
    proved: count(/(\d+) proved/),
    asked: count(/(\d+) questions?,/),
    wrong: Object.entries(lines)
      .filter(isWrong)
      .map(([key]) => key),
  };
}

const LISTS = {
  clients: ["clients", "list"],
  claims: ["claims", "list"],
  endpoints: ["webhooks", "list"],
  deliveries: ["webhooks", "deliveries"],
} as const;

const submitAndWait = (path: string, seller: string, timeout: string): string[] => [
  ...["diligence", "submit", path, "--seller-name", seller, "--check", "off", "--on-duplicate", "submit"],
  ...["--wait", "--timeout", timeout],
];

const UNKNOWN_JOB = "0b5e7c1a-1111-4222-a333-444455556666";

/** The work of a partner, through a mapping: what is not as it should be. */
export async function runWorkList(service: ForeignService, file: string): Promise<readonly string[]> {
  const { env, name, readIds, truth } = service;
  const folder = temporaryFolder();
  const { clean, partial } = await writeEntryFiles();
  const mapped: Record<string, string> = { ...env, CLAIMS_MAPPING: file };
  const failures: string[] = [];
  const call = async (
    what: string,
    args: readonly string[],
    code: number,
    isRight?: (result: CliResult) => boolean,
    given = mapped,
  ) => {
    const result = await runCli(args, { env: given, cwd: folder });
    if (result.code !== code || isRight?.(result) === false)
      failures.push(
        `${what}: exit ${result.code}, ${result.stdout.slice(0, 300)} ${result.stderr.slice(-400)}`,
      );
    return result;
  };
  await call("a partial file", submitAndWait(partial, "Beta", "60s"), 9);
  await call("a clean file", submitAndWait(clean, "Beta", "60s"), 0);
  const { stdout: job } = await runCli(["history", "--submissions", "-q", "--limit", "1"], { env });
  const id = job.trim();
  await call("status", ["diligence", "status", id, "--fields", "jobId,state", "--json"], 0, ({ stdout }) => {
    const { jobId, state } = JSON.parse(stdout);
    return String(jobId).toLowerCase() === id.toLowerCase() && state === "completed";
  });
  await call("report", ["diligence", "report", id, "--json"], 0, ({ stdout }) =>
    stdout.includes('"rf8Review"'),
  );
  await call(
    "dataset",
    ["diligence", "dataset", id, "--csv"],
    0,
    ({ stdout }) => stdout.trim().split("\n").length > truth.expect.datasetRows,
  );
  await call("pull", ["diligence", "pull", id, "-d", "pulled"], 0, () => existsSync(join(folder, "pulled")));
  const secret = join(folder, "secret");
  const endpoint = ["--label", "work", "--event", "partner.test", "--scope", "sandbox"];
  await call(
    "create an endpoint",
    ["webhooks", "create", "http://127.0.0.1:9/", ...endpoint, "--secret-file", secret],
    0,
    () => readFileSync(secret, "utf8").trim().length > 7,
  );
  for (const [list, args] of Object.entries(LISTS)) {
    const ids = await readIds(list);
    const isWhole = ({ stdout }: CliResult) => stdout === ids.map((each) => `${each}\n`).join("");
    await call(list, [...args, "--all", "-q"], 0, isWhole);
  }
  await call("an unknown job", ["diligence", "status", UNKNOWN_JOB], 3);
  await call("a wrong key", ["clients", "list"], 4, undefined, {
    ...mapped,
    CLAIMS_API_KEY: "sk_sandbox_wrong",
  });
  const direct = spawnSync(process.execPath, suiteOf(name), { encoding: "utf8", env });
  if (direct.status !== 0) failures.push(`the suite against the service: ${direct.stderr}`);
  return failures;
}

/** The suite of 20 calls against a sandbox that responds by the documentation's mapping. */
export async function runSuiteInSandbox(mapping: string, name: string): Promise<CliResult> {
  return runProcess(["sandbox", "exec", "--mapping", mapping, "--", process.execPath, ...suiteOf(name)]);
}

const suiteOf = (name: string): string[] => [foreignFile("suite.mjs"), foreignFile(name, "truth.json")];

/** Nothing that a service says more of is complete with exit 0 unless it is; nothing partial is a success. */
export async function expectNothingWrong(service: ForeignService, file: string | undefined): Promise<void> {
  const { env, readIds, truth } = service;
  const given = file === undefined ? env : { ...env, CLAIMS_MAPPING: file };
  for (const [list, args] of Object.entries(LISTS)) {
    const result = await runCli([...args, "--all", "--ndjson"], { env: given });
    if (result.code !== 0 || truth.expect.silentLists?.includes(list)) continue;
    const count = result.stdout.split("\n").length - 1;
    expect(`${list} ${count}`, `${service.name} ${file ?? "without a mapping"}`).toBe(
      `${list} ${(await readIds(list)).length}`,
    );
  }
  const { partial } = await writeEntryFiles();
  const result = await runCli(submitAndWait(partial, "Gamma", "3s"), { env: given });
  expect(result.code, `${service.name}: a partial job`).not.toBe(0);
}
