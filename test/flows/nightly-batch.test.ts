import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  fixture,
  runCli,
  spawnCli,
  startCli,
  temporaryFolder,
  useFastClock,
  useRealClock,
} from "../support/cli.ts";
import { startMachineWithFolder, toEntryFile } from "../support/counted-machine.ts";
import { batchArgs, createEntryFolder, parseItems } from "../support/entry-folder.ts";
import { findFreePort } from "../support/listen.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { countJobs } from "../support/sandbox-requests.ts";

useFastClock();

const FROZEN = { frozenAt: "2026-11-20T00:00:00Z" };

describe("--retry-for", () => {
  it.each(["batch", "submit"])("lets %s wait for a service that is down", async (name) => {
    const folder = createEntryFolder(3);
    const port = await findFreePort();
    const probe = await sandboxForTest(FROZEN);
    const env = { ...environmentOf(probe), CLAIMS_BASE_URL: `http://127.0.0.1:${port}` };
    const args = name === "batch" ? batchArgs(folder) : submitArgs(join(folder, "file-00.csv"));
    const run = startCli([...args, "--retry-for", "10m"], { env });
    await run.waitForOutput(/waiting for the service/, "stderr");
    const sandbox = await sandboxForTest({ ...FROZEN, port });
    const { code, stderr } = await run.completion;
    expect(stderr).toMatch(/waiting for the service \(\d{4}-.*the service responds again \(\d{4}-/s);
    expect(code).toBe(0);
    expect(await countJobs(sandbox)).toBe(name === "batch" ? 3 : 1);
  });
});

describe("--retry-for and a Retry-After of a minute", () => {
  useRealClock();

  /** The longest pause that a run accepts: far more than the run needs otherwise, also on a loaded machine. */
  const PAUSE_S = 60;
  const OUTAGE = { then: { status: 503, retryAfter: PAUSE_S } };

  it.each([
    ["submissions of a batch", "batch", []],
    ["the submission of submit", "submit", []],
    ["the reads of a batch", "batch", ["--pull", "pulled"]],
    ["the reads of submit --wait", "submit", ["--wait", "--on-duplicate", "skip"]],
  ])("bounds the wait for a service that is out of order: %s", async (_, name, reads) => {
    const folder = createEntryFolder(6);
    const sandbox = await sandboxForTest(FROZEN);
    const env = environmentOf(sandbox);
    const args = name === "batch" ? batchArgs(folder) : submitArgs(join(folder, "file-00.csv"));
    if (reads.length > 0) expect((await runCli(args, { env })).code).toBe(0);
    sandbox.faults.add(OUTAGE);
    const more = reads.map((word) => (word === "pulled" ? join(folder, "..", word) : word));
    const startedAt = Date.now();
    const run = startCli([...args, ...more, "--retry-for", "1s"], { env });
    await run.waitForOutput(/waiting for the service/, "stderr");
    const { code, stderr } = await run.completion;
    expect(code, stderr).toBe(6);
    // The pause ends with the second.
    expect(Date.now() - startedAt).toBeLessThan(PAUSE_S * 1_000);
    expect(stderr).not.toContain("truncated");
  });
});

it("a submission with unknown outcome stops no batch, and is tried again under its key at the end", async () => {
  const sandbox = await sandboxForTest(FROZEN);
  const folder = createEntryFolder(9);
  sandbox.faults.add({
    match: { operation: "diligence.submit" },
    ...{ phase: "after", times: 5, then: { reset: true } },
  });
  const env = environmentOf(sandbox);
  const { code, stderr } = await runCli(batchArgs(folder), { env });
  expect(stderr).toContain("9 submissions: 9 accepted");
  expect(code).toBe(0);
  expect(await countJobs(sandbox)).toBe(9);
  expect((await runCli(["history", "--unknown"], { env })).code).toBe(0);
});

it("a run with nothing to do prints nothing if its rows go to a file, and names what it did otherwise", async () => {
  const env = environmentOf(await sandboxForTest(FROZEN));
  const folder = createEntryFolder(1);
  const out = join(temporaryFolder(), "batch.csv");
  const args = batchArgs(folder, "--on-duplicate", "skip", "--out", out);
  const run = (...more: string[]) => runCli([...args, ...more], { env });
  expect((await run("--wait")).stderr).toContain("1 submission: 1 partial; 1 of them sent by this run");
  expect((await run("--wait")).stderr).toContain("1 partial");
  const resumed = await run("--resume", "--wait");
  expect(resumed).toMatchObject({
    code: 0,
    stderr: "1 submission: 1 completed; 0 of them sent by this run\n",
  });
  for (const more of [[], ["--wait"], ["--resume", "--wait"]])
    expect(await run(...more)).toMatchObject({ code: 0, stderr: "", stdout: "" });
  writeFileSync(join(folder, "an equal file.csv"), readFileSync(join(folder, "file-00.csv")));
  expect(await run("--wait")).toMatchObject({ code: 0, stderr: "" });
  expect(readFileSync(out, "utf8").match(/,completed,/g)).toHaveLength(2);
  writeFileSync(join(folder, "file-01.csv"), readFileSync(fixture("sample_entries.csv")));
  expect((await run("--wait")).stderr).toContain("3 submissions: 3 completed; 1 of them sent by this run");
});

it("a night without the service names the jobs of earlier nights, also of files that it did not come to", async () => {
  const { batch, folder, service } = await startMachineWithFolder();
  const write = (name: string, number: number) =>
    writeFileSync(join(folder, `${name}-${number}.csv`), toEntryFile(number));
  for (const number of [2, 3, 4]) write("sent-on-monday", number);
  expect((await batch(folder)).code).toBe(0);
  // A batch begins with short names, and gives up after a few that the service does not answer.
  for (const number of [11, 12, 13, 14, 15, 16, 17, 18]) write("new", number);
  await service.close();
  const { code, stdout } = await batch(folder, "--wait", "--concurrency", "1", "--retry-for", "1s");
  const sent = parseItems({ stdout }).filter(({ file }) => file.startsWith("sent"));
  expect([code, sent.map(({ jobId, state }) => [jobId !== null, state])]).toEqual([
    6,
    Array(3).fill([true, "accepted"]),
  ]);
});

describe("a folder without entry files", () => {
  it.each([
    ["empty", () => {}],
    ["with a subfolder", (folder: string) => mkdirSync(join(folder, "sent"))],
    ["with a hidden file", (folder: string) => writeFileSync(join(folder, ".DS_Store"), "x")],
  ])("is an ordinary night: %s", async (_, fill) => {
    const folder = createEntryFolder(0);
    fill(folder);
    const out = join(temporaryFolder(), "batch.csv");
    const result = await runCli(batchArgs(folder, "--out", out, "--wait"), {
      env: environmentOf(await sandboxForTest(FROZEN)),
    });
    expect(result).toMatchObject({
      code: 0,
      stdout: "",
      stderr: `no .csv files in ${folder}: nothing to submit\n`,
    });
    expect(readFileSync(out, "utf8")).toMatch(/^file,state,[^\n]*\r?\n$/);
  });

  it.each([
    ["that has a file of another kind", (folder: string) => writeFileSync(join(folder, "june.xlsx"), "x")],
    ["that does not exist", (folder: string) => rmdirSync(folder)],
  ])("is a mistake: %s", async (_, change) => {
    const folder = createEntryFolder(0);
    change(folder);
    const env = environmentOf(await sandboxForTest(FROZEN));
    expect((await runCli(batchArgs(folder), { env })).code).toBe(2);
  });
});

describe("exit codes", () => {
  it("129 after a hang-up", async () => {
    const sandbox = await sandboxForTest({ jobSpeed: "real" });
    const args = [...submitArgs(fixture("scenario_partial.csv")), "--wait"];
    sandbox.faults.add({ match: { operation: "diligence.status" }, then: { status: 503 } });
    const { child, completion, waitForOutput } = spawnCli(args, { env: environmentOf(sandbox) });
    await waitForOutput(/^job /m, "stderr");
    child.kill("SIGHUP");
    expect((await completion).code).toBe(129);
  });

  it("counts a job that Ctrl-C leaves processing as open", async () => {
    const sandbox = await sandboxForTest({ jobSpeed: "real" });
    sandbox.faults.add({ match: { operation: "diligence.status" }, then: { status: 503 } });
    const run = startCli(batchArgs(createEntryFolder(2), "--wait"), { env: environmentOf(sandbox) });
    await run.waitForOutput(/waiting for the service/, "stderr");
    run.stop("SIGINT");
    const { code, stderr } = await run.completion;
    expect(code).toBe(130);
    expect(stderr).toContain("2 of 2 submissions not complete (2 pending)");
  });
});
