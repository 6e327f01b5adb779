import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorOf, runCli, startCli, temporaryFolder, useFastClock } from "../support/cli.ts";
import { headerOf, startReceiver } from "../support/receiver.ts";
import { controlEnvironmentOf, sandboxForTest } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";
import { createTerminalContext, show as show80 } from "../support/terminal.ts";
import { hasScript, runOnTerminal } from "../support/terminal-process.ts";

useFastClock();

/** Starts a frozen sandbox with an endpoint at a receiver, and returns functions that run the command line in a new folder. */
async function setUp(
  respond?: Parameters<typeof startReceiver>[0],
  options?: Parameters<typeof sandboxForTest>[0],
) {
  const sandbox = await sandboxForTest(options);
  const env = controlEnvironmentOf(sandbox);
  const cwd = temporaryFolder();
  const app = await startReceiver(respond);
  const claims = (...args: string[]) => runCli(args, { env, cwd });
  const created = await claims("webhooks", "create", app.url, "--secret-file", "whsec.txt", "--json");
  const { id: endpoint } = JSON.parse(created.stdout);
  const send = async (): Promise<string> => {
    const result = await claims("webhooks", "test", "partner.test", "--endpoint", endpoint, "--json");
    return JSON.parse(result.stdout).previews[0].deliveryId;
  };
  const list = async (...filter: string[]) =>
    JSON.parse((await claims("webhooks", "deliveries", "--json", ...filter)).stdout).data;
  const show = async (id: string) =>
    JSON.parse((await claims("webhooks", "deliveries", "show", id, "--json")).stdout);
  return { sandbox, env, cwd, app, claims, endpoint, send, list, show };
}

/** Creates a receiver that responds 500 until `isHealthy` is set. */
function createFailingReceiver() {
  const state = { isHealthy: false };
  const respond: Parameters<typeof startReceiver>[0] = (_, response) => {
    response.statusCode = state.isHealthy ? 200 : 500;
    response.end(state.isHealthy ? "thanks" : "no database");
  };
  return { state, respond };
}

describe("webhooks deliveries show", () => {
  it("prints every attempt with headers and response, and the body", async () => {
    const { state, respond } = createFailingReceiver();
    const { claims, send, env, app } = await setUp(respond);
    const id = await send();
    // With a frozen clock, the list waits for the first attempt.
    await claims("webhooks", "deliveries");
    state.isHealthy = true;
    await claims("sandbox", "clock", "advance", "--to", "next");
    const terminal = createTerminalContext({ env });
    expect(await terminal.run("webhooks", "deliveries", "show", id, "--no-color", "--verbose")).toBe(0);
    const { text } = terminal.stdout;
    expect(text).toMatch(/Attempt 1: 500 after \d+ ms at 2026-11-20T00:00:00/);
    expect(text).toMatch(/ {2}http_status: .+\n\n {2}no database/);
    expect(text).toMatch(/Attempt 2: 200 after \d+ ms/);
    for (const { headers } of app.requests)
      expect(text).toContain(`\n    ${headerOf(headers, "X-Service-Signature")}\n`);
    expect(text).toContain(`Body\n${app.requests[0]?.body}`);
    const brief = await show80(env, "webhooks", "deliveries", "show", id);
    expect(brief.text).toMatch(
      /Attempt 1: 500 after \d+ ms at 2026-11-20 00:00 UTC Attempt 2: 200 after .+ X-Service-Signature: [0-9a-f]{64} thanks Body/,
    );
    expect(brief.lines.length).toBeLessThanOrEqual(24);
    const piped = (await claims("webhooks", "deliveries", "show", id)).stdout;
    expect(piped).toMatch(/^Attempt 1: 500 after \d+ ms at 2026-11-20T00:00:00.*\n {2}Content-Type/m);
  });

  it.each([["show"], ["resend", "--yes"]])("needs a local sandbox: %s", async (verb, ...flags) => {
    const { env } = await startScriptedService((_, response) => sendJson(response, 200, { data: [] }));
    const result = await runCli(["webhooks", "deliveries", verb, "d-2", ...flags, "--json"], { env });
    expect([result.code, errorOf(result).code]).toEqual([5, "sandbox_only"]);
  });

  it("exits 3 for an unknown delivery", async () => {
    const { claims } = await setUp();
    for (const args of [
      ["show", "x"],
      ["resend", "x"],
    ]) {
      const missing = await claims("webhooks", "deliveries", ...args, "--json");
      expect(missing.code, args.join(" ")).toBe(3);
    }
  });
});

describe("webhooks verify --delivery", () => {
  it("verifies the last attempt", async () => {
    const { respond } = createFailingReceiver();
    const { claims, send } = await setUp(respond);
    const id = await send();
    await claims("sandbox", "clock", "advance", "--to", "next");
    const verify = () =>
      claims("webhooks", "verify", "--delivery", id, "--secret-file", "whsec.txt", "--json");
    expect(JSON.parse((await verify()).stdout)).toMatchObject({ verdict: "valid", event: "partner.test" });
  });

  it("names the secret of another endpoint as the cause", async () => {
    const { claims, send, cwd } = await setUp();
    const id = await send();
    writeFileSync(join(cwd, "other.txt"), `whsec_${"x".repeat(43)}`, { mode: 0o600 });
    const verify = ["webhooks", "verify", "--delivery", id, "--secret-file", "other.txt"];
    const result = await claims(...verify, "--json");
    expect(result.code).toBe(7);
    expect(JSON.parse(result.stdout).causes).toMatchObject([
      { id: "secret.other_endpoint", certainty: "likely" },
    ]);
  });
});

describe("webhooks deliveries resend", () => {
  it("resends a failed delivery, which is then delivered", async () => {
    const { state, respond } = createFailingReceiver();
    const { claims, send, list, show } = await setUp(respond);
    const id = await send();
    await claims("sandbox", "clock", "advance", "--to", "idle");
    state.isHealthy = true;
    const result = await claims("webhooks", "deliveries", "resend", id, "--json");
    expect(JSON.parse(result.stdout)).toEqual([{ id, status: "delivered", response: 200 }]);
    expect(await list()).toMatchObject([{ id, status: "delivered", attemptCount: 11 }]);
    expect((await show(id)).attempts.at(-1)).toMatchObject({ trigger: "resend", responseStatus: 200 });
  });

  it("exits 6 if the receiver is not reachable, and 5 if it rejects the delivery", async () => {
    const { claims, send, list, app } = await setUp(createFailingReceiver().respond, {
      webhookRetries: "none",
    });
    const id = await send();
    await list();
    const resend = () => claims("webhooks", "deliveries", "resend", id, "--json");
    const rejected = await resend();
    expect([rejected.code, errorOf(rejected).code]).toEqual([5, "delivery_rejected"]);
    expect(JSON.parse(rejected.stdout)).toEqual([{ id, status: "failed", response: 500 }]);
    await new Promise((resolve) => app.server.close(resolve));
    const result = await resend();
    expect([result.code, errorOf(result).code]).toEqual([6, "connection_refused"]);
    expect(errorOf(result).message).toContain(`delivery ${id}`);
    expect(JSON.parse(result.stdout)).toEqual([{ id, status: "failed", response: "connection_refused" }]);
  });

  it("reads ids from stdin, and continues after an unknown id", async () => {
    const { send, env } = await setUp();
    const id = await send();
    const result = await runCli(["webhooks", "deliveries", "resend", "-", "--json"], {
      env,
      input: `x\n${id}\n`,
    });
    expect([result.code, JSON.parse(result.stdout)]).toEqual([
      3,
      [{ id, status: "delivered", response: 200 }],
    ]);
  });
});

describe("webhooks deliveries", () => {
  it("applies the filters if the service ignores them", async () => {
    const all = [
      { id: "d-1", endpointId: "e-1", status: "failed", eventType: "partner.test" },
      { id: "d-2", endpointId: "e-2", status: "weird", eventType: "partner.test" },
      { id: "d-3", status: "failed" },
    ];
    const { env, requests } = await startScriptedService((_, response) =>
      sendJson(response, 200, { data: all }),
    );
    const ids = async (...args: string[]) =>
      (await runCli(["webhooks", "deliveries", "-q", ...args], { env })).stdout.split("\n").filter(Boolean);
    expect(await ids()).toEqual(["d-1", "d-2", "d-3"]);
    expect(await ids("--endpoint", "e-2", "--event", "partner.test")).toEqual(["d-2", "d-3"]);
    const misspelled = await runCli(["webhooks", "deliveries", "--event", "partner.tset"], { env });
    expect([misspelled.code, misspelled.stderr]).toEqual([
      0,
      expect.stringContaining("partner.tset is not a published event"),
    ]);
    expect(requests.pop()?.url).toContain("eventType=partner.tset");
    expect(await ids("--status", "failed", "--limit", "1")).toEqual(["d-1"]);
    expect(requests.map(({ url }) => url)).toEqual([
      "/v1/webhook-deliveries",
      "/v1/webhook-deliveries?endpointId=e-2&eventType=partner.test",
      "/v1/webhook-deliveries?status=failed&limit=1",
    ]);
    const terminal = createTerminalContext({ env });
    await terminal.run("webhooks", "deliveries", "--no-color");
    expect(terminal.stdout.text).toMatch(/d-2 +e-2 +partner\.test +weird/);
  });

  it("excludes formats that need an end with --watch", async () => {
    const { claims } = await setUp();
    const result = await claims("webhooks", "deliveries", "--watch", "--json");
    expect([result.code, errorOf(result).code]).toEqual([2, "option_conflict"]);
  });
});

it("webhooks deliveries resend refuses --curl", async () => {
  const { claims } = await setUp();
  const result = await claims("webhooks", "deliveries", "resend", "d-1", "--curl");
  expect(result).toMatchObject({ code: 2, stdout: "" });
  expect(result.stderr).toContain("--dry-run lists");
});

describe("webhooks deliveries --watch", () => {
  it("prints one line per change in a pipe", async () => {
    const { state, respond } = createFailingReceiver();
    const { env, claims, send } = await setUp(respond);
    const watch = startCli(["webhooks", "deliveries", "--watch", "--ndjson"], { env });
    const id = await send();
    await watch.waitForOutput(new RegExp(`"id":"${id}".*"status":"retrying","attemptCount":1`));
    state.isHealthy = true;
    await claims("sandbox", "clock", "advance", "--to", "next");
    await watch.waitForOutput(/"status":"delivered","attemptCount":2/);
    watch.stop("SIGINT");
    const { code, stdout } = await watch.completion;
    expect(code).toBe(130);
    expect(stdout.trim().split("\n")).toHaveLength(2);
  });

  it.runIf(hasScript)("adds a row for each change on a terminal", { tags: "large" }, async () => {
    const { state, respond } = createFailingReceiver();
    const { env, claims, send } = await setUp(respond);
    const words = ["webhooks", "deliveries", "--watch", "--no-color"];
    const { screen, completion, type } = runOnTerminal(words, env, { columns: 160 });
    const waitForScreen = async (pattern: RegExp) => expect.poll(() => screen.text).toMatch(pattern);
    await send();
    await waitForScreen(/^time +event +status[^\n]+\n00:00:00 +partner\.test +retrying +1 +500/m);
    state.isHealthy = true;
    await claims("sandbox", "clock", "advance", "--to", "next");
    await waitForScreen(/\n[^\n]+partner\.test +delivered +2 +200/);
    type("\u0003");
    expect(await completion).toBe(130);
  });
});
