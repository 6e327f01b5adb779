import { describe, expect, it } from "vitest";
import { runCli, temporaryFolder, useFastClock } from "../support/cli.ts";
import { respondWith, startReceiver } from "../support/receiver.ts";
import { controlEnvironmentOf, sandboxForTest } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";
import { show } from "../support/terminal.ts";

useFastClock();

/** A sandbox whose delivery to a receiver was answered with this status. */
async function setUp(status = 410) {
  const app = await startReceiver(respondWith(status));
  const sandbox = await sandboxForTest();
  const env = controlEnvironmentOf(sandbox);
  const events = ["--event", "partner.test", "--event", "claim.updated"];
  const create = ["webhooks", "create", app.url, ...events, "--secret-file", "s", "--json"];
  const created = await runCli(create, { env, cwd: temporaryFolder() });
  const { id } = JSON.parse(created.stdout);
  await runCli(["webhooks", "test", "partner.test", "--endpoint", id], { env });
  // A frozen clock lists deliveries after their attempts.
  await runCli(["webhooks", "deliveries"], { env });
  return { app, env, id, sandbox };
}

describe("no webhook since Tuesday: the receiver answers 410", () => {
  it("leads from --help to who must act in three commands", async () => {
    const { app, env, id } = await setUp();
    const receiver = `endpoint ${id} (${app.url}) is disabled since 2026-11-20 00:00 UTC`;
    const help = await show(env, "--help");
    expect(help.text).toMatch(/webhooks\S* register endpoints, receive and follow deliveries/);
    const webhooks = await show(env, "webhooks", "--help");
    expect(webhooks.text).toMatch(/list list the webhook endpoints/);
    const list = await show(env, "webhooks", "list");
    expect(list.text).toContain(receiver);
    expect(list.text).toContain("its receiver answered 410 (Gone); the receiver must act");
  });

  it("is in doctor, and where an event is not sent", async () => {
    const { app, env, id } = await setUp();
    const why = "its receiver answered 410 (Gone); the receiver must act";
    for (const [expected, ...args] of [
      [0, "doctor"],
      [0, "sandbox", "emit", "claim.updated"],
      [5, "sandbox", "emit", "partner.test", "--endpoint", id],
      [5, "webhooks", "test", "partner.test", "--endpoint", id],
    ] as const) {
      const { code, text } = await show(env, ...args);
      expect([code, text], args.join(" ")).toEqual([expected, expect.stringContaining(why)]);
      expect(text).toContain(`endpoint ${id} (${app.url}) is disabled since 2026-11-20 00:00 UTC`);
    }
  });

  it("shows the endpoint, age and last error of each delivery at 80 columns, by the clock of the sandbox", async () => {
    const { app, env, sandbox } = await setUp();
    await sandbox.clock.advance("2h");
    const label = new URL(app.url).host;
    const deliveries = await show(env, "webhooks", "deliveries");
    expect(deliveries.lines[0]).toMatch(/^event +status +tries +response +age$/);
    expect(deliveries.lines[1]).toMatch(/^partner\.test +failed +1 +410 +2 h ago$/);
    expect(deliveries.lines[2]).toMatch(new RegExp(`^ {2}\\S{36} {2}${label}$`));
    expect(deliveries.lines[3]).toBe("  http_status: the receiver responded 410");
    const endpoints = await show(env, "webhooks", "list");
    expect(endpoints.lines[0]).toMatch(/^label +status +scope +events +last success +last failure$/);
    expect(endpoints.lines[1]).toMatch(new RegExp(`^${label} +disabled +sandbox +2 +– +410, 2 h ago$`));
    for (const { lines, text } of [deliveries, endpoints]) {
      expect(text).not.toContain("not shown");
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    }
  });
});

it("doctor warns of an endpoint whose last delivery failed", async () => {
  const { app, env, id } = await setUp(401);
  const { code, text } = await show(env, "doctor");
  expect([code, text]).toEqual([0, expect.stringContaining(`endpoint ${id} (${app.url}) failed at`)]);
  expect(text).toMatch(/webhooks warn/);
});

describe("a service without the assumed fields", () => {
  const endpoint = { id: "e-1", url: "https://partner.example/hook", status: "disabled" };
  const answerWith = (deliveries: readonly object[]) =>
    startScriptedService((request, response) =>
      sendJson(response, 200, { data: request.url?.includes("deliveries") ? deliveries : [endpoint] }),
    );

  it("is explained by the last answer of the receiver", async () => {
    const { env } = await answerWith([
      { id: "d-3", endpointId: "e-1", status: "failed", lastResponseStatus: null, lastAttemptAt: null },
      { id: "d-2", endpointId: "e-1", lastResponseStatus: 410, lastAttemptAt: "2026-11-24T08:00:00Z" },
      { id: "d-1", endpointId: "e-1", lastResponseStatus: 500, lastAttemptAt: "2026-11-23T08:00:00Z" },
      { id: "d-0", endpointId: "e-2", lastResponseStatus: 200, lastAttemptAt: "2026-11-25T08:00:00Z" },
    ]);
    expect((await show(env, "webhooks", "list")).text).toContain(
      "endpoint e-1 (https://partner.example/hook) is disabled since 2026-11-24 08:00 UTC: its receiver answered 410 (Gone); the receiver must act",
    );
  });

  it("is explained by the end of the listener that keeps its secret", async () => {
    const label = "claims listen --secret-file";
    const kept = { ...endpoint, label, disabledReason: "disabled_by_hand" };
    const { env } = await startScriptedService((_, response) => sendJson(response, 200, { data: [kept] }));
    expect((await show(env, "webhooks", "list")).text).toContain(
      "is disabled: `claims webhooks listen` disabled it when it ended; start it again with the same --secret-file",
    );
  });

  it("is not explained by another answer", async () => {
    const { env } = await answerWith([
      { id: "d-2", endpointId: "e-1", lastResponseStatus: 500, lastAttemptAt: "2026-11-24T08:00:00Z" },
      { id: "d-1", endpointId: "e-1", lastResponseStatus: 410, lastAttemptAt: "2026-11-23T08:00:00Z" },
    ]);
    expect((await show(env, "webhooks", "list")).text).toContain(
      "endpoint e-1 (https://partner.example/hook) is disabled: the service does not say why",
    );
  });
});
