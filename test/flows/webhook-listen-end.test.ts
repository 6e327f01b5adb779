import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorOf, runCli, spawnCli } from "../support/cli.ts";
import { parseEvents, post, setUpListener as setUp, signHeaders, WITH_SECRET } from "../support/listener.ts";
import { startReceiver } from "../support/receiver.ts";
import { spawnSandboxUp, startSandboxUp } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

describe("the end of webhooks listen", () => {
  it("has exit code 8 after --timeout with --count, and 0 without", async () => {
    const { run } = setUp();
    const listen = ["listen", "--port", "0", ...WITH_SECRET, "--timeout", "300ms", "--json"];
    const result = await run(...listen, "--count", "2");
    expect(result.code).toBe(8);
    expect(result.stderr).toContain("0 deliveries arrived in time; expected 2");
    expect(await run(...listen)).toMatchObject({ code: 0 });
  });

  it("comes after --count deliveries, and later ones get 503", async () => {
    const app = await startReceiver((_, response, count) => {
      if (count === 1) releasePromise.then(() => response.end());
      else response.end();
    });
    let release = () => {};
    const releasePromise = new Promise<void>((resolve) => (release = resolve));
    const { listen } = setUp();
    const { url, completion } = await listen(...WITH_SECRET, "--forward-to", app.url, "--count", "1");
    const first = post(url, signHeaders());
    await expect.poll(() => app.requests.length).toBe(1);
    expect(await post(url, signHeaders())).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
    release();
    expect(await first).toMatchObject({ status: 200 });
    expect(parseEvents((await completion).stdout)).toHaveLength(1);
  });

  it.each([
    ["SIGTERM", []],
    ["SIGINT", ["--timeout", "1m"]],
  ] as const)("has exit code 0 after %s %j, also while the app does not respond", async (signal, args) => {
    const app = await startReceiver(() => {});
    const { listen } = setUp();
    const { url, completion, stop } = await listen(...WITH_SECRET, "--forward-to", app.url, ...args);
    const pending = post(url, signHeaders());
    await expect.poll(() => app.requests.length).toBe(1);
    stop(signal);
    expect((await pending).status).toBe(502);
    const { code, stderr } = await completion;
    expect([code, stderr.match(/"stopped after 1 delivery"/)?.length]).toEqual([0, 1]);
  });

  it("is an error after SIGTERM before the expected deliveries", async () => {
    const { listen } = setUp();
    const { url, completion, stop } = await listen(...WITH_SECRET, "--count", "3");
    await post(url, signHeaders());
    stop("SIGTERM");
    const result = await completion;
    expect(result.code).toBe(143);
    expect(result.stderr).toContain('"message":"stopped after 1 delivery; expected 3"');
  });

  it("comes when its stdout is closed", async () => {
    const { listen } = setUp();
    const { url, completion, closeStdout } = await listen(...WITH_SECRET);
    closeStdout();
    await post(url, signHeaders());
    await post(url, signHeaders()).catch(() => {});
    expect(await completion).toMatchObject({ code: 0 });
  });

  it("has exit code 2 and one warning if deliveries could not be recorded", async () => {
    const { cwd, listen } = setUp();
    const { url, completion } = await listen(...WITH_SECRET, "--record", "kept", "--count", "2");
    rmSync(join(cwd, "kept"), { recursive: true });
    writeFileSync(join(cwd, "kept"), "in the place of the folder");
    expect(await post(url, signHeaders())).toMatchObject({ status: 200 });
    expect(await post(url, signHeaders())).toMatchObject({ status: 200 });
    const { code, stdout, stderr } = await completion;
    expect(code).toBe(2);
    expect(parseEvents(stdout)).toMatchObject([
      { verdict: "valid", file: null },
      { verdict: "valid", file: null },
    ]);
    expect(stderr.match(/\{"warning":\{"message":"cannot record/g)).toHaveLength(1);
    expect(stderr).toContain("some deliveries could not be recorded into");
  });
});

describe("webhooks listen --register", () => {
  /** Starts a sandbox and a listener that registers with it. */
  async function startRegistered(...args: string[]) {
    const { cwd, env, listen } = setUp();
    const sandbox = await startSandboxUp(env);
    const listener = await listen("--register", ...args);
    const runJson = async (...args: string[]) => {
      const result = await runCli([...args, "--json"], { env, cwd });
      expect(result, result.stderr).toMatchObject({ code: 0 });
      return JSON.parse(result.stdout);
    };
    const endpoint = async () => {
      const { data } = await runJson("webhooks", "list");
      return data.find(({ id }: { id: string }) => id === listener.ready.endpointId);
    };
    return { ...listener, sandbox, runJson, endpoint };
  }

  it("verifies the sandbox's deliveries, and revokes the endpoint at the end", async () => {
    const { runJson, completion, endpoint, ready, url } = await startRegistered("--count", "2");
    expect(await endpoint()).toMatchObject({
      ...{ label: "claims listen", url, status: "active", environmentScope: "sandbox" },
      subscribedEvents: expect.arrayContaining(["partner.test", "partner.credential.rotated"]),
    });
    await runJson("webhooks", "test", "partner.test");
    await runJson("webhooks", "test", "partner.capability.changed", "--endpoint", ready.endpointId);
    const { code, stdout } = await completion;
    expect(code).toBe(0);
    expect(parseEvents(stdout)).toMatchObject([
      { verdict: "valid", eventType: "partner.test", secretFingerprint: ready.fingerprints[0] },
      { verdict: "valid", eventType: "partner.capability.changed" },
    ]);
    expect(await endpoint()).toMatchObject({ status: "revoked" });
    const { data } = await runJson("webhooks", "deliveries", "--endpoint", ready.endpointId);
    expect(data.map(({ status }: { status: string }) => status)).toEqual(["delivered", "delivered"]);
  });

  it("warns about the endpoint if the sandbox has stopped", async () => {
    const { stop, completion, ready, sandbox } = await startRegistered();
    sandbox.stop("SIGTERM");
    await sandbox.completion;
    stop("SIGINT");
    const { code, stderr } = await completion;
    expect(code).toBe(0);
    expect(stderr).toContain(`endpoint ${ready.endpointId} was not revoked`);
  });

  it("revokes the endpoint of a killed listener at the same URL, and not that of another one", {
    tags: "large",
  }, async () => {
    const { env, cwd, listen } = setUp();
    await spawnSandboxUp(env);
    const listenAt = async (port: string) => {
      const words = ["webhooks", "listen", "--port", port, "--json", "--register"];
      const child = spawnCli(words, { env, cwd });
      const [line] = await child.waitForOutput(/^\{"event":"ready".*\}$/m);
      return { child, ready: JSON.parse(line) };
    };
    const killed = await listenAt("0");
    killed.child.kill();
    await killed.child.completion;
    const other = await listen("--register");
    const last = await listenAt(new URL(killed.ready.url).port);
    const { data } = JSON.parse((await runCli(["webhooks", "list", "--json"], { env, cwd })).stdout);
    const statusOf = (id: string) => data.find((endpoint: { id: string }) => endpoint.id === id)?.status;
    expect([killed, other, last].map(({ ready }) => statusOf(ready.endpointId))).toEqual([
      "revoked",
      "active",
      "active",
    ]);
    last.child.kill();
    other.stop("SIGINT");
    await Promise.all([other.completion, last.child.completion]);
  });

  it("refuses a service that is not a local sandbox", async () => {
    const { env, requests } = await startScriptedService((_, response) => sendJson(response, 201, {}));
    const result = await runCli(["webhooks", "listen", "--port", "0", "--register", "--json"], { env });
    expect(errorOf(result)).toMatchObject({
      code: "not_local",
      exitCode: 5,
      hint: expect.stringContaining("claims webhooks create"),
    });
    expect(requests).toEqual([]);
  });
});
