import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import type { ScenarioName } from "../../src/domain/scenarios/scenario-names.ts";
import { BIN, ROOT, temporaryFolder } from "../support/cli.ts";
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts";
import { GuideSession } from "../support/guide-session.ts";
import { startInterruptibleProxy } from "../support/interruptible-proxy.ts";
import { sandboxForTest } from "../support/sandbox.ts";
import { countJobs } from "../support/sandbox-requests.ts";
import { createScenarioFile } from "../support/scenario-file.ts";

const OUTAGE_MS = IS_EXHAUSTIVE ? 3_000 : 300;

/** How long the service is down when the night begins. */
const LATE_START_MS = IS_EXHAUSTIVE ? 120_000 : 20_000;

const SCENARIOS: readonly ScenarioName[] = [
  ...Array<ScenarioName>(6).fill("partial"),
  ...Array<ScenarioName>(2).fill("rejected-rows"),
  ...Array<ScenarioName>(33).fill("clean"),
  ...Array<ScenarioName>(16).fill("row-width"),
];

const DUPLICATES = 3;

const readScript = (): string => readFileSync(join(ROOT, "docs/examples/nightly.sh"), "utf8");

/** The files whose rows are rejected have names that a shell and a CSV must quote. */
const REJECTED: readonly string[] = ['file-06 "final".csv', "file-07, 2nd.csv"];

/** Writes 60 files, which a batch submits in the order of the scenarios. */
function createEntries(folder: string): void {
  mkdirSync(folder);
  const first = SCENARIOS.indexOf("rejected-rows");
  const nameOf = (index: number) => REJECTED[index - first] ?? `file-${String(index).padStart(2, "0")}.csv`;
  for (const [index, scenario] of SCENARIOS.entries())
    writeFileSync(join(folder, nameOf(index)), createScenarioFile(scenario, index + 1));
  const clean = SCENARIOS.indexOf("clean");
  for (let copy = 0; copy < DUPLICATES; copy += 1)
    writeFileSync(
      join(folder, nameOf(SCENARIOS.length + copy)),
      readFileSync(join(folder, nameOf(clean + copy))),
    );
}

/** Waits until the batch log has so many accepted submissions. */
async function waitForAccepted(log: string, count: number): Promise<void> {
  const countAccepted = () =>
    existsSync(log) ? (readFileSync(log, "utf8").match(/"type":"accepted"/g)?.length ?? 0) : 0;
  while (countAccepted() < count) await sleep(2);
}

it("the script of the guide submits each file once, whatever interrupts it, and its exit code says what is left", async () => {
  const sandbox = await sandboxForTest({ frozenAt: "2026-11-20T00:00:00Z" });
  const proxy = await startInterruptibleProxy(sandbox.url);
  const folder = temporaryFolder();
  const session = await GuideSession.open();
  onTestFinished(() => session.close());
  createEntries(join(folder, "entries"));
  writeFileSync(join(folder, "nightly.sh"), readScript());
  writeFileSync(join(folder, "api-key"), sandbox.credentials.sandbox.apiKey, { mode: 0o600 });
  const log = join(folder, "entries.batch.jsonl");
  const nightly = `bash nightly.sh ./entries Acme ${proxy.url} api-key`;
  await session.run(`cd ${folder}`);
  const readLines = (name: string) =>
    readFileSync(join(folder, "results", name), "utf8")
      .trim()
      .split(/\r?\n/);

  // A real process, and kill -9 for it and its children.
  const killed = session.run(
    `(unset -f claims; exec setsid ${nightly}) & child=$!; while [ ! -e kill ]; do sleep 0.02; done; kill -9 -- -$child; wait $child`,
  );
  await waitForAccepted(log, 20);
  writeFileSync(join(folder, "kill"), "");
  expect((await killed).code).toBe(137);

  const resumed = session.run(nightly);
  await waitForAccepted(log, 40);
  await proxy.interruptUntil(() => sleep(OUTAGE_MS));
  const { code, output } = await resumed;
  expect(code, output).toBe(9);
  expect(readLines("batch.csv").filter((line) => !line.startsWith("completed,"))).toHaveLength(1 + 16);
  expect(readdirSync(join(folder, "results", "reports"))).toHaveLength(60 - 16);
  expect(readdirSync(join(folder, "results", "rejected")).sort()).toEqual(REJECTED);
  expect(readLines("deadlines.csv").length).toBeGreaterThan(1);
  expect(await countJobs(sandbox)).toBe(57);
});

it("the script of the guide survives an outage at its start and bad files, with no environment and no terminal", {
  timeout: LATE_START_MS + 240_000,
}, async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "entries"));
  for (let index = 0; index < 58; index += 1)
    writeFileSync(join(folder, "entries", `file-${index}.csv`), createScenarioFile("clean", index + 1));
  writeFileSync(join(folder, "entries", "empty.csv"), "");
  writeFileSync(join(folder, "entries", "scan.csv"), "%PDF-1.7\n");
  writeFileSync(join(folder, "nightly.sh"), readScript());
  mkdirSync(join(folder, "bin"));
  symlinkSync(BIN, join(folder, "bin", "claims"));
  const down = await sandboxForTest();
  writeFileSync(join(folder, "api-key"), down.credentials.sandbox.apiKey, { mode: 0o600 });
  const { port } = new URL(down.url);
  await down.close();
  const variables = [`PATH=${join(folder, "bin")}:${process.env.PATH}`, `HOME=${folder}`];
  const words = ["-i", ...variables, "setsid", "-w", "bash", "nightly.sh", "./entries", "Acme", down.url];
  const night = spawn("env", [...words, "api-key"], { cwd: folder });
  let log = "";
  night.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  await sleep(LATE_START_MS);
  await sandboxForTest({ port: Number(port) });
  const [code] = await once(night, "close");
  expect(code, log).toBe(5);
  expect(readdirSync(join(folder, "results", "reports"))).toHaveLength(58);
  expect(log).toMatch(/waiting for the service.*the service responds again/s);
  const lines = log.split("\n").filter((line) => line.includes(" → "));
  expect(lines.sort((a, b) => (a.slice(25) < b.slice(25) ? -1 : 1))).toEqual([
    expect.stringMatching(
      /^\d{4}-\S+Z empty\.csv: invalid: empty\.csv is empty → give a CSV file with a header and entries/,
    ),
    expect.stringMatching(/^\d{4}-\S+Z scan\.csv: invalid: scan\.csv is a PDF document, .* → /),
  ]);
});
