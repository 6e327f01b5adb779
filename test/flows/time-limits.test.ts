import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { clearInterval, setInterval, setTimeout } from "node:timers";
import { describe, expect, it, onTestFinished } from "vitest";
import { bareEnvironment, errorOf, fixture, runCli, temporaryFolder } from "../support/cli.ts";
import { itEachFirst } from "../support/large.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

const JOB = "7d9c2f0e-1111-4222-8333-444455556666";

/** A service that sends one byte of each response now and then, and never ends. */
const startDrippingService = (status = 200) =>
  startScriptedService((_, response) => {
    response.writeHead(status, { "content-type": "application/json" });
    const timer = setInterval(() => response.write(" "), 50);
    response.on("close", () => clearInterval(timer));
  });

describe("--timeout", () => {
  itEachFirst([
    ["clients list"],
    ["contract fetch"],
    ["contract check"],
    ["clients list --all"],
    ["offers list --ndjson"],
    ["scans get x"],
    [`diligence dataset ${JOB}`],
    [`diligence dataset ${JOB} --out file`],
    ["api GET /v1/clients"],
    ["api GET /v1/clients --paginate"],
    ["api GET /v1/clients --out file"],
  ])("ends a read that never ends: %s", async (line) => {
    const { env } = await startDrippingService();
    const cwd = temporaryFolder();
    const json = line.includes("ndjson") ? [] : ["--json"];
    const result = await runCli([...line.split(" "), "--timeout", "300ms", ...json], { env, cwd });
    expect(result.code).toBe(6);
    expect(result.stdout.trim()).toBe("");
    expect(errorOf(result)).toMatchObject({
      code: "unreachable",
      message: expect.stringContaining("the response is too slow, after"),
      retryable: true,
    });
    expect(existsSync(join(cwd, "file"))).toBe(false);
  });

  it("ends the read of an error and of the response to a write", async () => {
    const refusal = await startDrippingService(404);
    const read = await runCli(["clients", "list", "--timeout", "300ms", "--json"], { env: refusal.env });
    expect([read.code, read.stdout]).toEqual([3, ""]);
    const { env } = await startDrippingService(201);
    const create = ["clients", "create", "--name", "x", "--timeout", "300ms", "--json"];
    const write = await runCli(create, { env });
    expect([write.code, errorOf(write).code, write.stdout]).toEqual([6, "outcome_unknown", ""]);
  });

  it("ends a write without --wait to a service that does not respond", async () => {
    const { env } = await startScriptedService(() => {});
    const seller = ["--seller-name", "Acme", "--timeout", "300ms", "--json"];
    const submit = ["diligence", "submit", fixture("sample_es003.csv"), ...seller];
    const result = await runCli(submit, { env });
    expect([result.code, errorOf(result).code, result.stdout]).toEqual([6, "outcome_unknown", ""]);
  });

  it("lets a slow response pass that ends in time", async () => {
    const { env } = await startScriptedService((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"data":[');
      setTimeout(() => response.end("]}"), 300);
    });
    for (const limit of [[], ["--timeout", "30s"]])
      expect(await runCli(["clients", "list", "--json", ...limit], { env })).toMatchObject({
        code: 0,
        stdout: '{"data":[]}\n',
      });
  });
});

describe("a document of more than 16 MiB", () => {
  const start = () =>
    startScriptedService((_, response) => sendJson(response, 200, { data: [], text: "x".repeat(17 << 20) }));

  itEachFirst([["clients list"], ["contract fetch"], ["diligence status x"], ["api GET /v1/clients"]])(
    "is refused: %s",
    async (line) => {
      const { env } = await start();
      const result = await runCli([...line.split(" "), "--json"], { env });
      expect([result.code, result.stdout]).toEqual([5, ""]);
      expect(errorOf(result)).toMatchObject({
        code: "response_too_large",
        hint: expect.stringContaining("--out FILE"),
      });
    },
  );

  it("is written to a file as a dataset, or with api --out", { tags: "large" }, async () => {
    const { env } = await start();
    for (const line of [
      `diligence dataset ${JOB} --out a`,
      "api GET /v1/x --out a",
      `diligence dataset ${JOB}`,
    ])
      expect((await runCli(line.split(" "), { env, cwd: temporaryFolder() })).code, line).toBe(0);
  });
});

describe("a file that cannot be read to its end", () => {
  it("is refused by triage if it is a socket", async () => {
    const cwd = temporaryFolder();
    const env = { ...bareEnvironment(), CLAIMS_WEBHOOK_SECRET: "whsec_for_tests" };
    const server = createServer();
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(join(cwd, "a.sock"), resolve));
    for (const args of [
      ["webhooks", "triage", "a.sock"],
      ["diligence", "check", "a.sock"],
    ]) {
      const result = await runCli([...args, "--json"], { cwd, env });
      expect([result.code, result.stdout]).toEqual([2, ""]);
      expect(errorOf(result)).toMatchObject({
        code: "cannot_read",
        message: "cannot read a.sock: it is a socket",
      });
    }
  });
});
