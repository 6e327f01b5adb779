import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { fixture, runCli, temporaryFile, temporaryFolder } from "../support/cli.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { startScriptedService } from "../support/scripted-service.ts";

const run = promisify(execFile);

it("--dry-run prints the request and sends nothing, not even a token request", async () => {
  const service = await startScriptedService((_, response) => response.end());
  const env = { ...service.env, CLAIMS_ENVIRONMENT: "production" };
  const result = await runCli(submitArgs(fixture("sample_es003.csv"), "--dry-run"), { env });
  expect(result).toMatchObject({ code: 0, stderr: "" });
  expect(result.stdout).toContain(
    `POST ${service.url}/v1/diligence/submit\nauthorization: Bearer $CLAIMS_API_KEY\n`,
  );
  expect(result.stdout).toMatch(/^idempotency-key: [0-9a-f-]{36}$/m);
  expect(result.stdout).toMatch(/^file=@.*sample_es003\.csv \(78867 bytes, text\/csv\)$/m);

  const json = await runCli(["diligence", "status", "a", "b", "--dry-run", "--json"], { env });
  expect(JSON.parse(json.stdout)).toEqual({
    method: "GET",
    url: `${service.url}/v1/diligence/status/a`,
    headers: { authorization: "Bearer $CLAIMS_API_KEY", accept: "application/json" },
    body: null,
  });

  const { CLAIMS_API_KEY: _, ...rest } = service.env;
  const client = { ...rest, CLAIMS_CLIENT_ID: "cl_1", CLAIMS_CLIENT_SECRET: "cs_0123456789" };
  const oauth = await runCli(["diligence", "status", "a", "--dry-run"], { env: client });
  expect(oauth.stdout).toContain("authorization: Bearer $(claims auth token)");

  // Secrets have the names of their variables, also one in a body, and a short one.
  const keyed = { ...env, CLAIMS_API_KEY: "key-of-another-kind" };
  const put = await runCli(["api", "PUT", "/x", "-f", "note=key-of-another-kind", "--dry-run", "--json"], {
    env: keyed,
  });
  expect(JSON.parse(put.stdout).body).toMatchObject({ text: '{"note":"$CLAIMS_API_KEY"}' });
  const short = { ...client, CLAIMS_CLIENT_SECRET: "short" };
  const token = await runCli(["auth", "token", "--dry-run", "--json"], { env: short });
  expect(JSON.parse(token.stdout).body.fields).toMatchObject({ client_secret: "$CLAIMS_CLIENT_SECRET" });
  expect(service.requests).toEqual([]);
});

describe("--curl", () => {
  it("prints a line that a shell can run, whatever the names contain", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const file = temporaryFile(`it's "1; 2", $HOME.csv`, "entry_number\n");
    const seller = `@O'Brien & "Söhne"; $(id)`;
    const args = ["diligence", "submit", file, "--seller-name", seller, "--protest-docs", "--curl"];
    const { stdout: line, code } = await runCli(args, { env });
    expect(code).toBe(0);
    expect(line).not.toContain(sandbox.credentials.sandbox.apiKey);

    const response = await run("sh", ["-c", line], { env });
    expect(JSON.parse(response.stdout)).toMatchObject({
      sellerName: seller,
      requiresProtestDocumentation: true,
      fileName: `it's "1; 2", $HOME.csv`,
      fileBytes: 13,
    });
  });

  it("prints the first request of diligence batch", async () => {
    const env = environmentOf(await sandboxForTest());
    const folder = temporaryFolder();
    for (const name of ["a.csv", "b.csv"]) writeFileSync(join(folder, name), "entry_number\n");
    const args = ["diligence", "batch", folder, "--seller-name", "Acme", "--curl"];
    const { stdout: line, stderr } = await runCli(args, { env });
    expect(stderr).toContain("showing the first request of 2 submissions\n");
    const response = await run("sh", ["-c", line], { env });
    expect(JSON.parse(response.stdout)).toMatchObject({ fileName: "a.csv" });
  });

  it("prints a line that reads the file from stdin", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const { stdout: line } = await runCli(submitArgs("-", "--curl"), { env, input: "entry_number\n" });
    const piped = `printf 'entry_number\\nx\\n' | ${line}`;
    expect(JSON.parse((await run("sh", ["-c", piped], { env })).stdout)).toMatchObject({ fileBytes: 15 });

    const create = await runCli(["api", "POST", "/v1/clients", "--input", "-", "--curl"], { env });
    const pipedJson = `printf '{"name":"Acme"}' | ${create.stdout}`;
    expect(JSON.parse((await run("sh", ["-c", pipedJson], { env })).stdout)).toMatchObject({ name: "Acme" });
  });

  it("prints a line that fails if the service refuses, with its response", async () => {
    const env = environmentOf(await sandboxForTest());
    const { stdout: line } = await runCli(["diligence", "status", "unknown", "--curl"], { env });
    await expect(run("sh", ["-c", line], { env })).rejects.toMatchObject({
      code: 22,
      stdout: expect.stringContaining('"status":404'),
    });
  });
});
