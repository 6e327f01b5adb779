import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorOf, runCli, temporaryFolder } from "../support/cli.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";
import { createTerminalContext } from "../support/terminal.ts";

const URL = "http://127.0.0.1:9/hook";

const readMode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe("webhooks create after a lost response", () => {
  const record = { id: "e-1", label: "x", url: URL };

  it("exits 10 for a replay without the secret", async () => {
    const { env } = await startScriptedService(
      (_, response, count) => {
        if (count === 1) response.destroy();
        else sendJson(response, 201, record, { "idempotent-replayed": "true" });
      },
      { keepsKeys: true },
    );
    const cwd = temporaryFolder();
    const create = () =>
      runCli(["webhooks", "create", URL, "--secret-file", "whsec.txt", "--json"], { env, cwd });
    const first = await create();
    expect([first.code, errorOf(first).code]).toEqual([6, "outcome_unknown"]);
    const replay = await create();
    expect(replay.stderr).toContain("sending it again with key");
    expect([replay.code, errorOf(replay).code, replay.stdout]).toEqual([10, "no_secret_returned", ""]);
    expect(errorOf(replay).message).toContain("e-1");
    expect(errorOf(replay).hint).toContain("run the command again");
    expect(existsSync(join(cwd, "whsec.txt"))).toBe(false);
  });

  it("saves the response if the destination of the secret fails", async () => {
    const cwd = temporaryFolder();
    const secretPath = join(cwd, "whsec.txt");
    const signingSecret = `whsec_${"s".repeat(43)}`;
    const { env } = await startScriptedService((_, response) => {
      rmSync(secretPath);
      mkdirSync(join(secretPath, "in-the-way"), { recursive: true });
      sendJson(response, 201, { ...record, signingSecret });
    });
    const created = await runCli(["webhooks", "create", URL, "--secret-file", "whsec.txt", "--json"], {
      env,
      cwd,
    });
    expect([created.code, errorOf(created).code]).toEqual([2, "cannot_write"]);
    expect(JSON.parse(created.stdout)).toEqual(record);
    const [, path = ""] = /the response is saved as (\S+)$/.exec(errorOf(created).message) ?? [];
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ ...record, signingSecret });
    expect(readMode(path)).toBe("600");
    expect(existsSync(join(secretPath, "in-the-way"))).toBe(true);
  });
});

describe("the signing secret in the response of webhooks create", () => {
  const signingSecret = `whsec_${"d".repeat(43)}`;
  const inner = { id: "e-1", url: URL, signingSecret };

  /** Runs the command against a service with this response, with each destination; no output may have the secret. */
  async function createWith(body: unknown, ...args: string[]) {
    const service = await startScriptedService((_, response) => sendJson(response, 201, body));
    const env: Record<string, string> = service.env;
    const cwd = temporaryFolder();
    await runCli(["profiles", "set", "p", "--base-url", env.CLAIMS_BASE_URL ?? ""], { env, cwd });
    const result = await runCli(["webhooks", "create", URL, ...args], { env, cwd });
    return { result, cwd, env };
  }

  it.each<[string, unknown]>([
    ["the top", inner],
    ["an outer object", { data: inner }],
    ["an object of the endpoint", { data: { id: "e-1", url: URL, secrets: { signingSecret } } }],
    ["the top, and in other text", { ...inner, note: `keep ${signingSecret} safe`, copies: [signingSecret] }],
  ])("is found and never printed if it is in %s", async (_, body) => {
    for (const flags of [[], ["--json"], ["-q"], ["--fields", "id"], ["--json", "-v"]]) {
      const { result, cwd } = await createWith(body, "--secret-file", "whsec.txt", ...flags);
      expect(result.code).toBe(0);
      expect(readFileSync(join(cwd, "whsec.txt"), "utf8")).toBe(signingSecret);
      expect(result.stdout).toContain("e-1");
      expect(result.stdout + result.stderr).not.toContain(signingSecret);
    }
    const stored = await createWith(body, "--store", "--profile", "p", "--json");
    expect(stored.result.code).toBe(0);
    expect(stored.result.stdout + stored.result.stderr).not.toContain(signingSecret);
    expect(readFileSync(join(stored.env.CLAIMS_CONFIG_DIR ?? "", "config.json"), "utf8")).toContain(
      signingSecret,
    );
  });

  it("is printed from an outer object without a destination", async () => {
    const { result } = await createWith({ data: inner }, "--json");
    expect([result.code, JSON.parse(result.stdout)]).toEqual([0, { data: inner }]);
    const fields = await createWith({ data: inner }, "--json", "--fields", "signingSecret");
    expect(JSON.parse(fields.result.stdout)).toEqual({ signingSecret });
    const { env } = await startScriptedService((_, response) => sendJson(response, 201, { data: inner }));
    const terminal = createTerminalContext({ env });
    expect(await terminal.run("webhooks", "create", URL, "--no-color")).toBe(0);
    expect(terminal.stdout.text).toContain(`Signing secret, shown once\n  ${signingSecret}\n`);
    expect(terminal.stdout.text).toContain("--endpoint e-1");
  });

  it.each<[string, unknown]>([
    ["has none", { id: "e-1", url: URL }],
    ["has it under another name", { data: { id: "e-1", secret: signingSecret } }],
    ["has two", { data: [inner, { id: "e-2", signingSecret: `whsec_${"f".repeat(43)}` }] }],
    ["is a text", signingSecret],
  ])("exits 10 and saves the response, which %s", async (_, body) => {
    for (const destination of [["--secret-file", "whsec.txt"], ["--store", "--profile", "p"], []]) {
      const { result, cwd } = await createWith(body, ...destination, "--json");
      expect(result).toMatchObject({ code: 10, stdout: "" });
      const { code, exitCode, message, retryable } = errorOf(result);
      expect({ code, exitCode, retryable }).toEqual({
        ...{ code: "no_secret_returned", exitCode: 10, retryable: false },
      });
      expect(result.stderr).not.toContain(signingSecret);
      const [, path = ""] = /saved as (\S+)$/.exec(message) ?? [];
      expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(body);
      expect(readMode(path)).toBe("600");
      expect(existsSync(join(cwd, "whsec.txt"))).toBe(false);
    }
  });

  it("is not printed if --out, its file or the folder for saved files cannot be written", async () => {
    const cwd = temporaryFolder();
    const service = await startScriptedService((_, response) => {
      const state = join(env.CLAIMS_CONFIG_DIR ?? "", "state");
      rmSync(join(cwd, "whsec.txt"));
      mkdirSync(join(cwd, "whsec.txt", "in-the-way"), { recursive: true });
      if (full) {
        rmSync(state, { recursive: true });
        writeFileSync(state, "");
      }
      sendJson(response, 201, { data: inner });
    });
    const env: Record<string, string> = service.env;
    let full = false;
    const create = (...flags: string[]) =>
      runCli(["webhooks", "create", URL, "--secret-file", "whsec.txt", ...flags, "-v"], { env, cwd });
    for (const [flags, code] of [
      [["--json"], 2],
      [["--out", "no/such/folder.json"], 2],
      [[], 2],
    ] as const) {
      rmSync(join(cwd, "whsec.txt"), { recursive: true, force: true });
      const result = await create(...flags);
      expect(result.code).toBe(code);
      expect(result.stdout + result.stderr).not.toContain(signingSecret);
    }
    full = true;
    rmSync(join(cwd, "whsec.txt"), { recursive: true, force: true });
    const lost = await create("--json");
    expect(lost.code).not.toBe(0);
    expect(lost.stdout + lost.stderr).not.toContain(signingSecret);
  });
});

describe("concurrent webhooks create", () => {
  const signingSecret = `whsec_${"s".repeat(43)}`;

  it("exits 2 for one of them if both store into a profile", async () => {
    const cwd = temporaryFolder();
    // Both requests arrive before the first response.
    const pending: (() => void)[] = [];
    const { env } = await startScriptedService((_, response, count) => {
      pending.push(() => sendJson(response, 201, { id: `e-${count}`, signingSecret }));
      if (count === 2) for (const respond of pending) respond();
    });
    const claims = (...args: string[]) => runCli(args, { env, cwd });
    await claims("profiles", "set", "p", "--base-url", env.CLAIMS_BASE_URL ?? "");
    const create = () => claims("webhooks", "create", URL, "--store", "--profile", "p", "--json");
    const codes = (await Promise.all([create(), create()])).map(({ code }) => code);
    expect(codes.sort()).toEqual([0, 2]);
  });
});
