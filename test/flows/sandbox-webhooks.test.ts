import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { bareEnvironment, errorOf, runCli, runProcess, spawnCli, temporaryFolder } from "../support/cli.ts";
import { GOLDEN_TIME, sandboxForTest, startSandboxUp, submitArgs } from "../support/sandbox.ts";
import { entriesCsv, scriptedEntryNumber } from "../support/sandbox-requests.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";
import { createTerminalContext } from "../support/terminal.ts";

/** The environment of a command in `sandbox exec`, and the commands of `claims sandbox` in it. */
async function controlled(options: Parameters<typeof sandboxForTest>[0] = {}) {
  const sandbox = await sandboxForTest(options);
  const env = {
    ...bareEnvironment(),
    CLAIMS_CONTROL_URL: `${sandbox.url}/_sandbox`,
    CLAIMS_CONTROL_TOKEN: sandbox.controlToken,
  };
  const ask = (...args: string[]) => runCli(["sandbox", ...args], { env });
  return { sandbox, env, ask };
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
  it("emits any event, and the sink lists it with its verdict", async () => {
    const { sandbox, ask } = await controlled();
    const { endpointId } = sandbox.credentials.webhook;
    const emitted = await ask("emit", "partner.test", "--data", '{"n":1}', "-q");
    expect(emitted.code, emitted.stderr).toBe(0);
    expect(emitted.stderr).toMatch(/^emitted partner\.test \(event [0-9a-f-]{36}, sandbox\)$/m);
    const id = emitted.stdout.trim();
    const waited = await ask("wait", "--delivery", id, "--json");
    expect(JSON.parse(waited.stdout)).toMatchObject({ id, endpointId, status: "delivered" });
    expect(JSON.parse((await sandbox.webhooks.delivery(id)).body ?? "")).toMatchObject({ data: { n: 1 } });
    const [entry] = JSON.parse((await ask("sink", "--json")).stdout);
    expect(entry).toMatchObject({ sink: "default", verdict: "valid", responseStatus: 200 });
    expect((await ask("sink")).stdout).toMatch(
      /^1\t2026-11-20T00:00:00\.000Z\tPOST\tpartner\.test\t\d+\tvalid\t200\tthe signature matches\n$/,
    );
    expect(JSON.parse((await ask("sink", "--clear", "--json")).stdout)).toEqual([]);
    expect(await sandbox.webhooks.sink()).toEqual([]);
  });

  it("takes data from a file and from stdin, an endpoint, and an environment", async () => {
    const { sandbox, env, ask } = await controlled();
    const { endpointId } = sandbox.credentials.webhook;
    const file = join(temporaryFolder(), "data.json");
    writeFileSync(file, '{"from":"file"}');
    const from = ["--endpoint", endpointId, "--in", "production", "--json"];
    const [emitted] = JSON.parse((await ask("emit", "claim.updated", "--data", `@${file}`, ...from)).stdout);
    expect(emitted).toMatchObject({ type: "claim.updated", environment: "production", endpointId });
    await runCli(["sandbox", "emit", "claim.updated", "--data", "-", ...from], { env, input: '"stdin"' });
    const bodies = (await sandbox.webhooks.sink()).map(({ bodyBase64 }) => JSON.parse(atob(bodyBase64)).data);
    expect(bodies).toEqual([{ from: "file" }, "stdin"]);
    // No endpoint subscribes to it.
    const nowhere = await ask("emit", "claim.updated", "--json");
    expect([nowhere.code, JSON.parse(nowhere.stdout)]).toEqual([0, []]);
  });

  it.each([[[]], [["payloadForm"]]] as const)("sends the data as given, with grease %j", async (grease) => {
    const { sandbox, env, ask } = await controlled({ grease });
    const data = '{ "big": 12345678901234567890,\t"n": 1.0, "e": 1e2, "s": "\\u00e9 $& \\/", "n": 2 }';
    expect(await ask("emit", "partner.test", "--data", data)).toMatchObject({ code: 0 });
    await runCli(["sandbox", "emit", "partner.test", "--data", "-"], { env, input: `${data}\n` });
    for (const { bodyBase64, verdict } of await sandbox.webhooks.sink()) {
      expect(atob(bodyBase64)).toContain(data);
      expect(() => JSON.parse(atob(bodyBase64))).not.toThrow();
      expect(verdict).toBe("valid");
    }
    expect(await sandbox.webhooks.sink()).toHaveLength(2);
  });

  it("prints errors with hints", async () => {
    const { ask } = await controlled();
    const wrong = async (...args: string[]) => errorOf(await ask("emit", ...args, "--json"));
    expect(await wrong("Partner.Test")).toMatchObject({ code: "validation_failed", exitCode: 5 });
    expect(await wrong("partner.test", "--data", "{")).toMatchObject({ code: "invalid_json", exitCode: 2 });
    expect(await wrong("partner.test", "--data", "@/nowhere")).toMatchObject({ code: "cannot_read" });
    const latin1 = join(temporaryFolder(), "data.json");
    writeFileSync(latin1, '"Empfänger"', "latin1");
    expect(await wrong("partner.test", "--data", `@${latin1}`)).toMatchObject({
      message: "--data is not JSON: not UTF-8",
    });
    expect(await wrong("partner.test", "--endpoint", "x")).toMatchObject({
      code: "endpoint_not_found",
      exitCode: 3,
    });
    expect(await wrong("partner.test", "--in", "staging")).toMatchObject({ code: "invalid_choice" });
  });
});

describe("sandbox endpoints", () => {
  it("lists, disables, enables and revokes endpoints", async () => {
    const { sandbox, ask } = await controlled();
    const { endpointId } = sandbox.credentials.webhook;
    expect((await ask("endpoints", "list", "-q")).stdout).toBe(`${endpointId}\n`);
    const set = async (verb: string) => ask("endpoints", verb, endpointId, "--json");
    expect(JSON.parse((await set("disable")).stdout)).toMatchObject({ id: endpointId, status: "disabled" });
    expect(errorOf(await ask("emit", "partner.test", "--endpoint", endpointId, "--json")).code).toBe(
      "endpoint_not_active",
    );
    expect(JSON.parse((await set("enable")).stdout).status).toBe("active");
    expect(JSON.parse((await set("revoke")).stdout).status).toBe("revoked");
    const final = errorOf(await set("enable"));
    expect(final).toMatchObject({ code: "endpoint_revoked", exitCode: 5 });
    expect(final.message).toContain("final");
    expect(errorOf(await ask("endpoints", "revoke", "nobody", "--json"))).toMatchObject({ exitCode: 3 });
    expect((await ask("endpoints")).stdout).toContain("list");
  });
});

describe("sandbox wait", () => {
  it("exits 8 after the timeout with a hint", async () => {
    const { sandbox, ask } = await controlled();
    const { endpointId } = sandbox.credentials.webhook;
    const timedOut = await ask("wait", "--endpoint", endpointId, "--timeout", "50ms", "--json");
    expect([timedOut.code, timedOut.stdout]).toEqual([8, ""]);
    expect(errorOf(timedOut)).toMatchObject({
      code: "wait_timed_out",
      message: expect.stringContaining("no such delivery after 0.05 s"),
    });
  });

  it("waits for a job that another command ends", async () => {
    const { sandbox, env, ask } = await controlled();
    const here = { ...env, CLAIMS_BASE_URL: sandbox.url, CLAIMS_API_KEY: sandbox.credentials.sandbox.apiKey };
    const submitted = await runCli([...submitArgs("-"), "-q"], {
      env: here,
      input: entriesCsv([scriptedEntryNumber("4")]),
    });
    const id = submitted.stdout.trim();
    expect((await ask("wait", "--job", id, "--state", "processing", "-q")).stdout).toBe(`${id}\n`);
    const waiting = ask("wait", "--job", id, "--json");
    await ask("clock", "advance", "--to", "idle");
    expect(JSON.parse((await waiting).stdout)).toMatchObject({ jobId: id, state: "completed" });
  });

  it("can be interrupted", async () => {
    const { env } = await controlled();
    const requested = nextRequest("/_sandbox/wait");
    const { child, completion } = spawnCli(["sandbox", "wait", "--event", "claim.updated", "--json"], {
      env,
    });
    await requested;
    child.kill("SIGINT");
    const result = await completion;
    expect([result.code, errorOf(result).code]).toEqual([130, "interrupted"]);
  });

  it("requires a condition", async () => {
    const { ask } = await controlled();
    for (const args of [
      [],
      ["--status", "failed", "--job", "x"],
      ["--state", "failed"],
      ["--job", "x", "--event", "a.b"],
    ])
      expect(errorOf(await ask("wait", ...args, "--json"))).toMatchObject({
        code: "invalid_wait_condition",
        exitCode: 2,
      });
    expect(errorOf(await ask("wait", "--delivery", "nothing", "--json"))).toMatchObject({ exitCode: 3 });
    expect(errorOf(await ask("wait", "--status", "done", "--json"))).toMatchObject({
      code: "invalid_choice",
    });
  });
});

describe("sandbox credentials rotate", () => {
  it("changes the key for later commands; the sandbox refuses the old one", async () => {
    const env = bareEnvironment();
    const { ready } = await startSandboxUp(env);
    const old = ready.credentials.sandbox.apiKey;
    const rotated = await runCli(["sandbox", "credentials", "rotate", "--json"], { env });
    const { apiKey } = JSON.parse(rotated.stdout);
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
});

describe("sandbox sink", () => {
  it("is in the ready line, in `env`, in `status` and on the welcome page", async () => {
    const env = bareEnvironment();
    const { ready } = await startSandboxUp(env, "--webhook-retries", "none", "--webhook-timeout", "2s");
    const { endpointId, signingSecret } = ready.credentials.webhook;
    expect((await runCli(["sandbox", "env"], { env })).stdout).toContain(
      `export CLAIMS_WEBHOOK_SECRET='${signingSecret}'`,
    );
    const status = await runCli(["sandbox", "status"], { env });
    expect(status.stdout).toContain(endpointId);
    expect(status.stdout).toContain("webhook endpoints\t1 active");
    const person = await runProcess(["sandbox", "up", "--name", "other", "--port", "0", "--detach"], { env });
    expect(person.stdout).toContain("claims sandbox emit partner.test");
    await runCli(["sandbox", "down", "--name", "other"], { env });
  });

  it("follows --webhook-retries, also with --detach", async () => {
    const env = bareEnvironment();
    const flags = ["--webhook-retries", "0,5s", "--webhook-timeout", "2s", "--frozen", "--at", GOLDEN_TIME];
    const up = await runProcess(["sandbox", "up", "--port", "0", "--detach", "--json", ...flags], { env });
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
    const ledger = await runCli(["sandbox", "clock", "advance", "--to", "idle", "--json"], { env });
    expect(JSON.parse(ledger.stdout)).toMatchObject([{ kind: "webhook.attempt" }]);
    const failed = await runCli(["sandbox", "wait", "--event", "claim.updated", "--json"], { env });
    expect(JSON.parse(failed.stdout)).toMatchObject({ status: "failed", attemptCount: 2 });
    expect((await runCli(["sandbox", "down"], { env })).code).toBe(0);
    const wrong = await runCli(["sandbox", "up", "--webhook-retries", "often", "--json"], { env });
    expect(wrong.code).toBe(2);
  });

  it("prints the verdicts as a table on a terminal", async () => {
    const { sandbox, env } = await controlled();
    await sandbox.webhooks.emit({ type: "partner.test" });
    await sandbox.idle();
    const person = createTerminalContext({ env });
    expect(await person.run("sandbox", "sink", "--no-color")).toBe(0);
    expect(person.stdout.text).toMatch(/no\. +at +event +bytes +verdict +response\n/);
    expect(await person.run("sandbox", "sink", "nothing")).toBe(0);
    expect(person.stderr.text).toContain('the sink "nothing" got no request; sinks with requests: default');
  });
});

describe("sandbox commands against another version", () => {
  it.each([
    ["nothing", null],
    ["no field that is known", {}],
    ["a list", []],
  ])("that answers %s is reported as such, not as a bug", async (_, body) => {
    const { url, env } = await startScriptedService((_request, response) => sendJson(response, 200, body));
    const controlled = { ...env, CLAIMS_CONTROL_URL: `${url}/_sandbox`, CLAIMS_CONTROL_TOKEN: "t" };
    for (const words of [
      ["emit", "partner.test"],
      ["clock", "show"],
      ["clock", "advance", "1s"],
      ["agenda"],
      ["endpoints", "list"],
      ["endpoints", "revoke", "e-1"],
      ["sink"],
      ["wait", "--delivery", "d-1"],
      ["credentials", "rotate"],
    ]) {
      const result = await runCli(["sandbox", ...words, "--json"], { env: controlled });
      expect([result.code, result.stdout, errorOf(result).code], words.join(" ")).toEqual([
        6,
        "",
        "unexpected_response",
      ]);
      expect(errorOf(result).hint).toContain("versions of this program and the sandbox differ");
    }
  });
});
