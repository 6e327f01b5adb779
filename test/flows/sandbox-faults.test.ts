import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FaultEffect, Sandbox } from "../../sandbox/index.ts";
import { errorOf, fixture, runCli, temporaryFolder, useFastClock } from "../support/cli.ts";
import { itEachFirst } from "../support/large.ts";
import {
  controlEnvironmentOf,
  environmentOf,
  oauthEnvironmentOf,
  sandboxForTest,
  submitArgs,
} from "../support/sandbox.ts";
import { countJobs } from "../support/sandbox-requests.ts";

useFastClock();

const FILE = fixture("scenario_partial.csv");

/** Starts a sandbox. `listCounts` returns how often each of its fault rules matched and was applied. */
async function setUp() {
  const sandbox = await sandboxForTest();
  const env = controlEnvironmentOf(sandbox);
  return {
    sandbox,
    env,
    claims: (...args: string[]) => runCli(args, { env }),
    listCounts: () => sandbox.faults.list().map(({ matched, applied }) => [matched, applied]),
  };
}

const listIds = async (sandbox: Sandbox, noun: string): Promise<string[]> => {
  const { stdout } = await runCli([noun, "list", "-q"], { env: environmentOf(sandbox) });
  return stdout.split("\n").filter(Boolean);
};

it("fault ghost-commit makes a submission exit 6, and a retry with the same key finds its job", async () => {
  const { sandbox, claims, listCounts } = await setUp();
  const added = await claims(
    ...["sandbox", "faults", "add", "ghost-commit", "--operation", "diligence.submit"],
  );
  expect(added.stdout).toContain("connection reset after the work");
  const unknownOutcome = await claims(...submitArgs(FILE, "--json"));
  expect(unknownOutcome).toMatchObject({ code: 6, stdout: "" });
  expect(errorOf(unknownOutcome)).toMatchObject({
    code: "outcome_unknown",
    hint: expect.stringContaining("history --unknown"),
  });
  const unknown = JSON.parse((await claims("history", "--submissions", "--unknown", "--json")).stdout);
  expect(unknown).toMatchObject([{ jobId: null, file: FILE }]);

  const retry = await claims(...submitArgs(FILE, "--json"));
  expect(retry.code, retry.stderr).toBe(0);
  expect(retry.stderr).toContain(`sending it again with key ${unknown[0].key}`);
  expect(listCounts()).toEqual([[2, 1]]);
  const [, jobId = ""] = /"jobId":"([^"]+)"/.exec(retry.stderr) ?? [];
  const status = JSON.parse((await claims("diligence", "status", jobId, "--json")).stdout);
  expect(status.jobId).toBe(jobId);
  expect(await countJobs(sandbox)).toBe(1);
  const { stdout } = await claims("sandbox", "requests", "--json");
  const submissions = (JSON.parse(stdout) as { operation: string }[]).filter(
    ({ operation }) => operation === "diligence.submit",
  );
  expect(submissions).toMatchObject([
    { outcome: "lost", idempotentReplay: false, fault: expect.stringContaining("ghost-commit") },
    { outcome: "answered", idempotentReplay: true, fault: null, status: 202 },
  ]);
  expect(JSON.parse((await claims("history", "--submissions", "--unknown", "--json")).stdout)).toEqual([]);
});

describe("a permanent fault", () => {
  const CORRUPTIONS: readonly (readonly [string, FaultEffect])[] = [
    ["a reset", { reset: true }],
    ["a truncated body", { truncate: true }],
  ];

  /** Runs a command that must exit 6 with an error of that code. */
  async function expectFailure(code: RegExp, env: Record<string, string>, ...args: string[]) {
    const result = await runCli([...args, "--json"], { env });
    expect(result.code, `${args.join(" ")}: ${result.stderr}`).toBe(6);
    expect(errorOf(result).code, args.join(" ")).toMatch(code);
  }

  itEachFirst(CORRUPTIONS)(
    "fails every read with the same error, and leaves no partial file: %s",
    async (_, then) => {
      const { sandbox, claims, env } = await setUp();
      const submission = await claims(...submitArgs(FILE, "--wait", "--json"));
      const { jobId } = JSON.parse(submission.stdout);
      const folder = temporaryFolder();
      const out = (name: string) => ["--out", join(folder, name)];
      const oauth = () => oauthEnvironmentOf(sandbox);
      const expectReadFailure = (readEnv: Record<string, string>, ...args: string[]) =>
        expectFailure(/^(unreachable|response_truncated)$/, readEnv, ...args);
      sandbox.faults.add({ phase: "after", then });
      await Promise.all([
        expectReadFailure(env, "diligence", "status", jobId),
        expectReadFailure(env, "diligence", "report", jobId, ...out("report.json")),
        expectReadFailure(env, "diligence", "dataset", jobId, ...out("rows.json")),
        expectReadFailure(env, "diligence", "pull", jobId, "-d", join(folder, "pulled")),
        expectReadFailure(env, "clients", "list", ...out("clients.json")),
        expectReadFailure(env, "contract", "fetch", ...out("openapi.json")),
        expectReadFailure(oauth(), "auth", "token"),
        expectReadFailure(oauth(), "clients", "list"),
      ]);
      sandbox.faults.clear();
      sandbox.faults.add({ phase: "after", match: { operation: "clients.list" }, skip: 1, then });
      await expectReadFailure(env, "clients", "list", "--all", "--limit", "1", ...out("all.json"));
      const listFiles = () =>
        readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      await expect.poll(listFiles).toEqual([]);
    },
  );

  itEachFirst(CORRUPTIONS)("fails every write with an unknown outcome: %s", async (_, then) => {
    const { sandbox, claims, env } = await setUp();
    const submission = await claims(...submitArgs(fixture("sample_entries.csv"), "--wait", "--json"));
    const { jobId } = JSON.parse(submission.stdout);
    const [client = ""] = await listIds(sandbox, "clients");
    sandbox.faults.add({ phase: "after", match: { method: "POST" }, then });
    const expectUnknownOutcome = (...args: string[]) => expectFailure(/^outcome_unknown$/, env, ...args);
    await expectUnknownOutcome(...submitArgs(FILE));
    await expectUnknownOutcome("clients", "create", "--name", "Acme");
    await expectUnknownOutcome("claims", "create", "--client", client, "--job", jobId);
    await expectUnknownOutcome("webhooks", "test", "partner.test");
    await expectUnknownOutcome("api", "POST", "/v1/clients", "-f", "name=Acme");
    expect(await listIds(sandbox, "claims")).toHaveLength(1);
    const unknown = JSON.parse((await claims("history", "--unknown", "--json")).stdout);
    expect(unknown).toEqual(Array(5).fill(expect.objectContaining({ code: "outcome_unknown" })));
  });
});

describe("sandbox faults", () => {
  it("adds, lists and clears rules", async () => {
    const { claims } = await setUp();
    const faults = (...words: string[]) => claims("sandbox", "faults", ...words);
    const all = [
      ...["--operation", "clients.list", "--method", "GET"],
      ...["--phase", "after", "--times", "2", "--skip", "1", "--probability", "0.5"],
      ...["--status", "503", "--retry-after", "30", "--delay", "1.5s", "--truncate"],
    ];
    const added = await faults("add", ...all, "--json");
    expect(JSON.parse(added.stdout)).toEqual({
      ...{ id: 1, preset: null, phase: "after", times: 2, skip: 1, probability: 0.5 },
      match: { operation: "clients.list", method: "GET" },
      then: { status: 503, retryAfter: 30, delay: "1500ms", truncate: true },
      description: "delay 1500ms, 503, Retry-After 30, half a body after the work",
      ...{ matched: 0, applied: 0 },
    });
    expect((await faults("add", "outage", "--times", "3", "-q")).stdout).toBe("2\n");
    expect((await faults("list")).stdout).toBe(
      [
        "1\t\tdelay 1500ms, 503, Retry-After 30, half a body after the work\tGET clients.list, not the first 1, 2 times, with probability 0.5\t0\t0",
        "2\toutage\t503, Retry-After 30 before the work\tany request, 3 times\t0\t0",
        "",
      ].join("\n"),
    );
    expect((await faults("clear", "1")).stdout).toMatch(/^2\toutage/);
    expect(errorOf(await faults("clear", "1", "--json"))).toMatchObject({
      code: "fault_not_found",
      exitCode: 3,
    });
    expect((await faults("clear")).stdout).toBe("");
  });

  it.each<[string[], string, number]>([
    [[], "option_conflict", 2],
    [["--status", "200"], "option_invalid", 2],
    [["flaky", "--probability", "2"], "option_invalid", 2],
    [["--reset", "--phase", "during"], "option_invalid", 2],
    [["--reset", "--hang"], "validation_failed", 5],
    [["--reset", "--operation", "clients.lst"], "validation_failed", 5],
  ])("refuses %j", async (words, code, exitCode) => {
    const { sandbox, claims } = await setUp();
    expect(errorOf(await claims("sandbox", "faults", "add", ...words, "--json"))).toMatchObject({
      code,
      exitCode,
    });
    expect(sandbox.faults.list()).toEqual([]);
  });
});
