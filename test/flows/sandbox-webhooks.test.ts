import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { bareEnvironment, errorOf, runCli, startCli } from "../support/cli.ts";
import {
  controlEnvironmentOf,
  GOLDEN_TIME,
  sandboxForTest,
  startSandboxUp,
  submitArgs,
} from "../support/sandbox.ts";
import { entriesCsv, scriptedEntryNumber } from "../support/sandbox-requests.ts";

/** Starts a sandbox, and returns the environment that `sandbox exec` sets and a function that runs `claims sandbox` in it. */
async function setUp(options: Parameters<typeof sandboxForTest>[0] = {}) {
  const sandbox = await sandboxForTest(options);
  const env = controlEnvironmentOf(sandbox);
  const runSandbox = (...args: string[]) => runCli(["sandbox", ...args], { env });
  return { sandbox, env, runSandbox };
}

/** Resolves when a server of this process receives a request for that path. */
function nextRequest(path: string): Promise<void> {
  return new Promise((resolve) => {
    const onRequest = (message: unknown) => {
      if ((message as { request: IncomingMessage }).request.url === path) resolve();
    };
    subscribe("http.server.request.start", onRequest);
    onTestFinished(() => void unsubscribe("http.server.request.start", onRequest));
  });
}

describe("sandbox emit", () => {
  it("emits any event to the sink of the seeded endpoint", async () => {
    const { sandbox, runSandbox } = await setUp();
    const { endpointId } = sandbox.credentials.webhook;
    const emission = await runSandbox("emit", "partner.test", "--data", '{"n":1}', "--ndjson");
    expect(emission.code, emission.stderr).toBe(0);
    expect(emission.stderr).toMatch(/"emitted partner\.test \(event [0-9a-f-]{36}, sandbox\)"/);
    const id = JSON.parse(emission.stdout).deliveryId;
    const wait = await runSandbox("wait", "--delivery", id, "--json");
    expect(JSON.parse(wait.stdout)).toMatchObject({ id, endpointId, status: "delivered" });
    expect(JSON.parse((await sandbox.webhooks.delivery(id)).body ?? "")).toMatchObject({ data: { n: 1 } });
    const [entry] = await sandbox.webhooks.sink();
    expect(entry).toMatchObject({ sink: "default", verdict: "valid", responseStatus: 200 });
  });

  it("accepts data, an endpoint and an environment", async () => {
    const { sandbox, runSandbox } = await setUp();
    const { endpointId } = sandbox.credentials.webhook;
    const flags = ["--endpoint", endpointId, "--in", "production", "--json"];
    const [emission] = JSON.parse(
      (await runSandbox("emit", "claim.updated", "--data", '{"from":"flag"}', ...flags)).stdout,
    );
    expect(emission).toMatchObject({ type: "claim.updated", environment: "production", endpointId });
    const bodies = (await sandbox.webhooks.sink()).map(({ bodyBase64 }) => JSON.parse(atob(bodyBase64)).data);
    expect(bodies).toEqual([{ from: "flag" }]);
    // Without --endpoint: no endpoint subscribes to the event.
    const unsubscribed = await runSandbox("emit", "claim.updated", "--json");
    expect([unsubscribed.code, JSON.parse(unsubscribed.stdout)]).toEqual([0, []]);
  });

  it.each([[[]], [["payloadForm"]]] as const)("sends the data as given, with grease %j", async (grease) => {
    const { sandbox, runSandbox } = await setUp({ grease });
    const data = '{ "big": 12345678901234567890,\t"n": 1.0, "e": 1e2, "s": "\\u00e9 $& \\/", "n": 2 }';
    expect(await runSandbox("emit", "partner.test", "--data", data)).toMatchObject({ code: 0 });
    for (const { bodyBase64, verdict } of await sandbox.webhooks.sink()) {
      expect(atob(bodyBase64)).toContain(data);
      expect(() => JSON.parse(atob(bodyBase64))).not.toThrow();
      expect(verdict).toBe("valid");
    }
    expect(await sandbox.webhooks.sink()).toHaveLength(1);
  });

  it("reports invalid events, data and endpoints", async () => {
    const { runSandbox } = await setUp();
    const emitForError = async (...args: string[]) => errorOf(await runSandbox("emit", ...args, "--json"));
    expect(await emitForError("Partner.Test")).toMatchObject({ code: "validation_failed", exitCode: 5 });
    for (const option of [
      ["--data", "{"],
      ["--in", "staging"],
    ])
      expect(await emitForError("partner.test", ...option)).toMatchObject({
        code: "option_invalid",
        exitCode: 2,
      });
    const unknown = await emitForError("partner.test", "--endpoint", "x");
    expect(unknown).toMatchObject({ code: "endpoint_not_found", exitCode: 3 });
  });
});

describe("sandbox wait", () => {
  it("exits 8 after the timeout with a hint", async () => {
    const { sandbox, runSandbox } = await setUp();
    const { endpointId } = sandbox.credentials.webhook;
    const timedOut = await runSandbox("wait", "--endpoint", endpointId, "--timeout", "50ms", "--json");
    expect([timedOut.code, timedOut.stdout]).toEqual([8, ""]);
    expect(errorOf(timedOut)).toMatchObject({
      code: "wait_timed_out",
      message: expect.stringContaining("no such delivery after 0.05 s"),
    });
  });

  it("waits for a job until another command advances the clock", async () => {
    const { sandbox, env, runSandbox } = await setUp();
    const submitEnv = {
      ...env,
      CLAIMS_BASE_URL: sandbox.url,
      CLAIMS_API_KEY: sandbox.credentials.sandbox.apiKey,
    };
    const submission = await runCli([...submitArgs("-"), "-q"], {
      env: submitEnv,
      input: entriesCsv([scriptedEntryNumber("4")]),
    });
    const id = submission.stdout.trim();
    expect((await runSandbox("wait", "--job", id, "--state", "processing", "-q")).stdout).toBe(`${id}\n`);
    const wait = runSandbox("wait", "--job", id, "--json");
    await runSandbox("clock", "advance", "--to", "idle");
    expect(JSON.parse((await wait).stdout)).toMatchObject({ jobId: id, state: "completed" });
  });

  it("exits 130 after Ctrl-C", async () => {
    const { env } = await setUp();
    const request = nextRequest("/_sandbox/wait");
    const wait = ["sandbox", "wait", "--event", "claim.updated", "--json"];
    const { completion, stop } = startCli(wait, { env });
    await request;
    stop("SIGINT");
    const result = await completion;
    expect([result.code, errorOf(result).code]).toEqual([130, "interrupted"]);
  });

  it("requires a condition", async () => {
    const { runSandbox } = await setUp();
    for (const args of [
      [],
      ["--status", "failed", "--job", "x"],
      ["--state", "failed"],
      ["--job", "x", "--event", "a.b"],
      ["--status", "done"],
    ])
      expect(errorOf(await runSandbox("wait", ...args, "--json"))).toMatchObject({
        code: "option_invalid",
        exitCode: 2,
      });
    expect(errorOf(await runSandbox("wait", "--delivery", "nothing", "--json"))).toMatchObject({
      exitCode: 3,
    });
  });
});

it("sandbox credentials rotate changes the key of later commands, and the sandbox refuses the old key", async () => {
  const env = bareEnvironment();
  const { ready } = await startSandboxUp(env);
  const old = ready.credentials.sandbox.apiKey;
  const rotation = await runCli(["sandbox", "credentials", "rotate", "--json"], { env });
  const { apiKey } = JSON.parse(rotation.stdout);
  expect(apiKey).not.toBe(old);
  const list = (more: Record<string, string> = {}) =>
    runCli(["api", "GET", "/v1/webhooks/endpoints"], { env: { ...env, ...more } });
  expect((await list()).code).toBe(0);
  expect((await list({ CLAIMS_BASE_URL: ready.url, CLAIMS_API_KEY: old })).code).toBe(4);
  expect((await runCli(["sandbox", "env"], { env })).stdout).toContain(apiKey);
  const result = await runCli(["sandbox", "wait", "--event", "partner.credential.rotated", "--json"], {
    env,
  });
  expect(JSON.parse(result.stdout)).toMatchObject({ status: "delivered" });
  const locator = join(env.CLAIMS_CONFIG_DIR ?? "", "state", "sandbox-default.json");
  expect(JSON.parse(readFileSync(locator, "utf8")).credentials.production).toEqual(
    ready.credentials.production,
  );
});

describe("the sink of a sandbox", () => {
  it("is in the output of sandbox up, env and status", { tags: "large" }, async () => {
    const env = bareEnvironment();
    const { ready } = await startSandboxUp(env, "--webhook-retries", "none");
    const { endpointId, signingSecret } = ready.credentials.webhook;
    expect((await runCli(["sandbox", "env"], { env })).stdout).toContain(
      `export CLAIMS_WEBHOOK_SECRET='${signingSecret}'`,
    );
    const status = await runCli(["sandbox", "status"], { env });
    expect(status.stdout).toContain(endpointId);
    expect(status.stdout).toContain("endpoints.active\t1\n");
    const up = ["sandbox", "up", "--sandbox-name", "other", "--port", "0", "--detach"];
    const terminal = await runCli(up, { env });
    expect(terminal.stdout).toContain("claims sandbox emit partner.test");
    await runCli(["sandbox", "down", "--sandbox-name", "other"], { env });
  });

  it("receives the retries of --webhook-retries, also with --detach", { tags: "large" }, async () => {
    const env = bareEnvironment();
    const flags = ["--webhook-retries", "0,5s", "--frozen", "--at", GOLDEN_TIME];
    const up = await runCli(["sandbox", "up", "--port", "0", "--detach", "--json", ...flags], { env });
    expect(up.code, up.stderr).toBe(0);
    const { url } = JSON.parse(up.stdout);
    const created = await runCli(["api", "POST", "/v1/webhooks/endpoints", "--input", "-"], {
      env,
      input: JSON.stringify({
        ...{ label: "down", url: `${url}/_sandbox/sink/down?status=503`, environmentScope: "all" },
        subscribedEvents: ["claim.updated"],
      }),
    });
    expect(created.code, created.stderr).toBe(0);
    await runCli(["sandbox", "emit", "claim.updated"], { env });
    const advance = await runCli(["sandbox", "clock", "advance", "--to", "idle", "--json"], { env });
    expect(JSON.parse(advance.stdout)).toMatchObject([{ kind: "webhook.attempt" }]);
    const delivery = await runCli(["sandbox", "wait", "--event", "claim.updated", "--json"], { env });
    expect(JSON.parse(delivery.stdout)).toMatchObject({ status: "failed", attemptCount: 2 });
    expect((await runCli(["sandbox", "down"], { env })).code).toBe(0);
    const invalid = await runCli(["sandbox", "up", "--webhook-retries", "often", "--json"], { env });
    expect(invalid.code).toBe(2);
  });
});
