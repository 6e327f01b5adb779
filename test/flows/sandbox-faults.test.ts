import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FaultEffect, Sandbox } from "../../sandbox/index.ts";
import { bareEnvironment, errorOf, fixture, runCli, temporaryFolder } from "../support/cli.ts";
import {
  controlEnvironmentOf,
  environmentOf,
  oauthEnvironmentOf,
  sandboxForTest,
  startSandboxUp,
  submitArgs,
} from "../support/sandbox.ts";
import { createTerminalContext } from "../support/terminal.ts";

const FILE = fixture("scenario_partial.csv");

/** A user with a sandbox, and the number of applications of its fault rules so far. */
async function withSandbox() {
  const sandbox = await sandboxForTest();
  const env = controlEnvironmentOf(sandbox);
  return {
    sandbox,
    env,
    claims: (...args: string[]) => runCli(args, { env }),
    counts: () => sandbox.faults.list().map(({ matched, applied }) => [matched, applied]),
  };
}

const idsOf = async (sandbox: Sandbox, noun: string): Promise<string[]> => {
  const { stdout } = await runCli([noun, "list", "-q"], { env: environmentOf(sandbox) });
  return stdout.split("\n").filter(Boolean);
};

describe("fault ghost-commit", () => {
  it("reports an unknown outcome, and a repeat with the same key finds the same job", async () => {
    const { sandbox, claims, counts } = await withSandbox();
    const added = await claims(
      ...["sandbox", "faults", "add", "ghost-commit", "--operation", "diligence.submit"],
    );
    expect(added.stdout).toContain("connection reset after the work");
    const lost = await claims(...submitArgs(FILE, "--json"));
    expect(lost).toMatchObject({ code: 6, stdout: "" });
    expect(errorOf(lost)).toMatchObject({
      code: "outcome_unknown",
      hint: expect.stringContaining("history --unknown"),
    });
    const unknown = JSON.parse((await claims("diligence", "history", "--unknown", "--json")).stdout);
    expect(unknown).toMatchObject([{ jobId: null, file: FILE }]);

    const again = await claims(...submitArgs(FILE, "--json"));
    expect(again.code, again.stderr).toBe(0);
    expect(again.stderr).toContain(`sending it again with key ${unknown[0].key}`);
    expect(counts()).toEqual([[2, 1]]);
    const [, jobId = ""] = /^job (\S+)$/m.exec(again.stderr) ?? [];
    const status = JSON.parse((await claims("diligence", "status", jobId, "--json")).stdout);
    expect(status.jobId).toBe(jobId);
    const jobs = await fetch(`${sandbox.url}/_sandbox/state`, {
      headers: { authorization: `Bearer ${sandbox.controlToken}` },
    }).then(async (answer) => ((await answer.json()) as { jobs: Record<string, number> }).jobs);
    expect(Object.values(jobs)).toEqual([1]);
    const { stdout } = await claims("sandbox", "requests", "--json");
    const sent = (JSON.parse(stdout) as { operation: string }[]).filter(
      ({ operation }) => operation === "diligence.submit",
    );
    expect(sent).toMatchObject([
      { outcome: "lost", idempotentReplay: false, fault: expect.stringContaining("ghost-commit") },
      { outcome: "answered", idempotentReplay: true, fault: null, status: 202 },
    ]);
    expect(JSON.parse((await claims("diligence", "history", "--unknown", "--json")).stdout)).toEqual([]);
  });
});

describe("transient faults", () => {
  it("retries a read after 503, a slow response and 429", async () => {
    const { sandbox, claims, counts } = await withSandbox();
    const read = async () => (await claims("clients", "list", "--json")).code;
    sandbox.faults.add("flaky", { probability: 1, times: 2 });
    expect(await read()).toBe(0);
    expect(counts()).toEqual([[3, 2]]);
    sandbox.faults.clear();
    sandbox.faults.add("slow", { then: { delay: "100ms" } });
    expect(await read()).toBe(0);
    sandbox.faults.clear();
    sandbox.faults.add("rate-limited", { times: 1 });
    expect(await read()).toBe(0);
    expect(counts()).toEqual([[2, 1]]);
  });

  it("retries only writes that the service refused before the work", async () => {
    const { sandbox, claims, counts } = await withSandbox();
    const write = (name: string) => claims("clients", "create", "--name", name, "--json");
    const before = (await idsOf(sandbox, "clients")).length;
    sandbox.faults.add("rate-limited", { times: 1 });
    expect((await write("One")).code).toBe(0);
    expect(counts()).toEqual([[2, 1]]);
    sandbox.faults.clear();
    sandbox.faults.add({ then: { status: 503, retryAfter: 0 } });
    expect(errorOf(await write("Two"))).toMatchObject({ code: "outcome_unknown", exitCode: 6 });
    expect(counts()).toEqual([[1, 1]]);
    sandbox.faults.clear();
    expect((await idsOf(sandbox, "clients")).length).toBe(before + 1);
  });

  it("respects the rate limit of the sandbox", async () => {
    const env = bareEnvironment();
    const { ready } = await startSandboxUp(env, "--rate-limit", "2/1s");
    const own = environmentOf(ready);
    const runs = await Promise.all(
      Array.from({ length: 4 }, () => runCli(["clients", "list", "--json", "--verbose"], { env: own })),
    );
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(runs.map(({ stderr }) => stderr).join("")).toContain("→ 429");
    const wrong = await runCli(["sandbox", "up", "--port", "0", "--rate-limit", "many", "--json"]);
    expect(errorOf(wrong)).toMatchObject({ code: "rate_limit_invalid", exitCode: 2 });
  });
});

describe("permanent faults", () => {
  it("ends a read by --timeout without a response", async () => {
    const { sandbox, claims } = await withSandbox();
    sandbox.faults.add({ then: { hang: true } });
    const result = await claims("clients", "list", "--timeout", "300ms", "--json");
    expect(errorOf(result)).toMatchObject({ exitCode: 6, code: "unreachable" });
    const write = await claims("clients", "create", "--name", "Acme", "--timeout", "300ms", "--json");
    expect(errorOf(write)).toMatchObject({ exitCode: 6, code: "outcome_unknown" });
  });

  const SPOILT: readonly (readonly [string, FaultEffect])[] = [
    ["a reset", { reset: true }],
    ["half a body", { truncate: true }],
    ["a bad chunk", { badChunk: true }],
    ["garbage", { garbage: true }],
  ];

  /** Ends in exit 6 and an error of that code. */
  async function failing(code: RegExp, env: Record<string, string>, ...args: string[]) {
    const result = await runCli([...args, "--json"], { env });
    expect(result.code, `${args.join(" ")}: ${result.stderr}`).toBe(6);
    expect(errorOf(result).code, args.join(" ")).toMatch(code);
  }

  it.each(SPOILT)("is reported alike by every read, and leaves no partial file: %s", async (_, then) => {
    const { sandbox, claims, env } = await withSandbox();
    const submitted = await claims(...submitArgs(FILE, "--wait", "--json"));
    const { jobId } = JSON.parse(submitted.stdout);
    const folder = temporaryFolder();
    const out = (name: string) => ["--out", join(folder, name)];
    const oauth = () => oauthEnvironmentOf(sandbox);
    const reads = (own: Record<string, string>, ...args: string[]) =>
      failing(/^(unreachable|response_truncated)$/, own, ...args);
    sandbox.faults.add({ phase: "after", then });
    await Promise.all([
      reads(env, "diligence", "status", jobId),
      reads(env, "diligence", "report", jobId, ...out("report.json")),
      reads(env, "diligence", "dataset", jobId, ...out("rows.json")),
      reads(env, "diligence", "pull", jobId, "-d", join(folder, "pulled")),
      reads(env, "clients", "list", ...out("clients.json")),
      reads(env, "contract", "fetch", ...out("openapi.json")),
      reads(oauth(), "auth", "token"),
      reads(oauth(), "clients", "list"),
    ]);
    sandbox.faults.clear();
    sandbox.faults.add({ phase: "after", match: { operation: "clients.list" }, skip: 1, then });
    await reads(env, "clients", "list", "--all", "--limit", "1", ...out("all.json"));
    const left = readdirSync(folder, { recursive: true, withFileTypes: true });
    expect(left.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual([]);
  });

  it.each(SPOILT)("is an unknown outcome of every write: %s", async (_, then) => {
    const { sandbox, claims, env } = await withSandbox();
    const submitted = await claims(...submitArgs(fixture("sample_entries.csv"), "--wait", "--json"));
    const { jobId } = JSON.parse(submitted.stdout);
    const [client = ""] = await idsOf(sandbox, "clients");
    sandbox.faults.add({ phase: "after", match: { method: "POST" }, then });
    const writes = (...args: string[]) => failing(/^outcome_unknown$/, env, ...args);
    await writes(...submitArgs(FILE));
    await writes("clients", "create", "--name", "Acme");
    await writes("claims", "create", "--client", client, "--job", jobId);
    await writes("webhooks", "test", "partner.test");
    await writes("api", "POST", "/v1/clients", "-f", "name=Acme");
    expect(await idsOf(sandbox, "claims")).toHaveLength(1);
    const unknown = JSON.parse((await claims("diligence", "history", "--unknown", "--json")).stdout);
    expect(unknown).toEqual(Array(5).fill(expect.objectContaining({ code: "outcome_unknown" })));
  });

  it("treats a truncated refusal as a refusal, also of a write and in the request log", async () => {
    const { sandbox, claims } = await withSandbox();
    sandbox.faults.add({ phase: "after", then: { truncate: true } });
    const refused = await claims(...submitArgs(FILE, "--seller-name", "x".repeat(1000), "--json"));
    expect(errorOf(refused)).toMatchObject({ code: "http_422", exitCode: 5, retryable: false });
    expect(errorOf(await claims("diligence", "status", "nobody", "--json")).exitCode).toBe(3);
    const history = JSON.parse((await claims("diligence", "history", "--json")).stdout);
    expect(history).toMatchObject([{ state: "refused", status: 422, file: FILE }]);
  });

  it("prints the error to stderr after the rows that arrived", async () => {
    const { sandbox, env, claims } = await withSandbox();
    const { jobId } = JSON.parse((await claims(...submitArgs(FILE, "--wait", "--json"))).stdout);
    sandbox.faults.add({ then: { truncate: true } });
    const person = createTerminalContext({ env });
    expect(await person.run("diligence", "dataset", jobId, "--no-color")).toBe(6);
    expect(person.stderr.text).toMatch(/^error: .+truncated.+\nhint: .+\n$/m);
  });
});

describe("sandbox faults", () => {
  it("adds, lists and clears rules", async () => {
    const { claims } = await withSandbox();
    const faults = (...words: string[]) => claims("sandbox", "faults", ...words);
    const all = [
      ...["--operation", "clients.list", "--path", "/v1/*", "--method", "GET", "--header", "X-Case=a=b"],
      ...["--header", "X-Other", "--phase", "after", "--times", "2", "--skip", "1", "--probability", "0.5"],
      ...["--status", "503", "--retry-after", "30s", "--delay", "1.5s", "--truncate"],
    ];
    const added = await faults("add", ...all, "--json");
    expect(JSON.parse(added.stdout)).toEqual({
      ...{ id: 1, preset: null, phase: "after", times: 2, skip: 1, probability: 0.5 },
      match: {
        ...{ operation: "clients.list", path: "/v1/*", method: "GET" },
        header: { "X-Case": "a=b", "X-Other": true },
      },
      then: { status: 503, retryAfter: "30s", delay: "1500ms", truncate: true },
      description: "delay 1500ms, 503, Retry-After 30s, half a body after the work",
      ...{ matched: 0, applied: 0 },
    });
    expect((await faults("add", "outage", "--nth", "3", "-q")).stdout).toBe("2\n");
    expect((await faults("list")).stdout).toBe(
      [
        "1\t\tdelay 1500ms, 503, Retry-After 30s, half a body after the work\tGET clients.list /v1/* with X-Case: a=b with X-Other, not the first 1, 2 times, with probability 0.5\t0\t0",
        "2\toutage\t503, Retry-After 30 before the work\tany request, only number 3\t0\t0",
        "",
      ].join("\n"),
    );
    expect((await faults("clear", "1")).stdout).toMatch(/^2\toutage/);
    expect(errorOf(await faults("clear", "1", "--json"))).toMatchObject({
      code: "fault_not_found",
      exitCode: 3,
    });
    expect((await faults("clear")).stdout).toBe("");
    expect((await faults("presets", "-q")).stdout.split("\n")).toEqual(
      expect.arrayContaining(["flaky", "slow", "rate-limited", "ghost-commit", "half-answer", "outage"]),
    );
  });

  it.each<[string[], string, number]>([
    [[], "fault_without_effect", 2],
    [["--times", "2"], "fault_without_effect", 2],
    [["--status", "200"], "invalid_number", 2],
    [["flaky", "--probability", "2"], "invalid_number", 2],
    [["slow", "--delay", "soon"], "invalid_duration", 2],
    [["--reset", "--phase", "during"], "invalid_choice", 2],
    [["--reset", "--hang"], "validation_failed", 5],
    [["shaky"], "validation_failed", 5],
    [["--reset", "--operation", "clients.lst"], "validation_failed", 5],
  ])("refuses %j", async (words, code, exitCode) => {
    const { sandbox, claims } = await withSandbox();
    expect(errorOf(await claims("sandbox", "faults", "add", ...words, "--json"))).toMatchObject({
      code,
      exitCode,
    });
    expect(sandbox.faults.list()).toEqual([]);
  });

  it("completes presets and operations", async () => {
    const person = createTerminalContext();
    await person.run("__complete", "--", "sandbox", "faults", "add", "gh");
    await person.run("__complete", "--", "sandbox", "faults", "add", "--operation", "diligence.s");
    expect(person.stdout.text).toMatch(/^ghost-commit\t/m);
    expect(person.stdout.text).toMatch(/^diligence\.submit\t/m);
  });

  it("makes one request of `claims api` fail by a header", async () => {
    const { claims } = await withSandbox();
    const asked = await claims("api", "POST", "/v1/clients", "-H", "X-Sandbox-Fault: status=409", "--json");
    expect(errorOf(asked)).toMatchObject({ code: "fault_injected", exitCode: 5 });
  });
});
