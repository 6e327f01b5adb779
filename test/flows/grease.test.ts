import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { GREASE_DIMENSIONS, GREASE_HEADER } from "../../src/contract/grease.ts";
import { bareEnvironment, errorOf, fixture, ROOT, runCli, runProcess } from "../support/cli.ts";
import { type Ready, SELLER, sandboxForTest } from "../support/sandbox.ts";
import { call, readFixture, submissionForm, submit } from "../support/sandbox-requests.ts";

describe("a sandbox with grease", () => {
  const submission = () => submissionForm({ file: readFixture("scenario_partial.csv") });

  /** What it responds to a submission and what follows. */
  const responses = async (seed: number) => {
    const sandbox = await sandboxForTest({ grease: ["jobIdField", "stateName", "unknownFields"], seed });
    const { text, headers } = await submit(sandbox, submission());
    await sandbox.idle();
    const id = headers.get("location")?.split("/").at(-1);
    const texts = [text];
    for (const path of [`status/${id}`, `report/${id}`, `dataset/${id}`, "status/nothing"])
      texts.push((await call(sandbox, `/v1/diligence/${path}`)).text);
    return texts;
  };

  it("responds with the same bytes for the same seed and calls, and with others for another seed", async () => {
    const texts = await responses(1);
    expect(await responses(1)).toEqual(texts);
    const others = await responses(3);
    for (const [index, text] of texts.entries()) expect(others[index]).not.toBe(text);
  });

  it("replays the bytes of a stored response", async () => {
    const sandbox = await sandboxForTest({ grease: GREASE_DIMENSIONS });
    const headers = { "idempotency-key": "one" };
    const first = await submit(sandbox, submission(), { headers });
    const again = await submit(sandbox, submission(), { headers });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.text).toBe(first.text);
    expect(again.headers.get(GREASE_HEADER)).toBe(first.headers.get(GREASE_HEADER));
  });

  it("is what sandbox up --detach --grease starts", async () => {
    const env = bareEnvironment();
    const up = [
      "sandbox",
      "up",
      "--port",
      "0",
      "--detach",
      "--json",
      "--grease",
      "jobIdField",
      "--seed",
      "12",
    ];
    const started = await runProcess(up, { env });
    const { url, credentials } = JSON.parse(started.stdout) as Ready;
    const response = await fetch(`${url}/v1/diligence/submit`, {
      method: "POST",
      headers: { authorization: `Bearer ${credentials.sandbox.apiKey}` },
      body: submission(),
    });
    expect((await runCli(["sandbox", "down"], { env })).code).toBe(0);
    expect(response.headers.get(GREASE_HEADER)).toBe("jobIdField=job_id");
  });

  it("names the dimensions when it is asked for another one", async () => {
    const result = await runCli(["sandbox", "up", "--json", "--grease", "jobIdField,weather"]);
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(errorOf(result)).toMatchObject({
      code: "unknown_grease",
      message: expect.stringContaining("weather"),
      hint: `name ${GREASE_DIMENSIONS.join(", ")} or all`,
    });
  });
});

describe("sandbox exec --grease-each", () => {
  const CLIENT = join(ROOT, "test/support/assumption-client.js");

  const trials = async (...more: string[]) => {
    const result = await runProcess(["sandbox", "exec", "--grease-each", "--json", ...more]);
    return { ...result, rows: result.stdout === "" ? [] : (JSON.parse(result.stdout) as Trial[]) };
  };

  it("names every assumption that a client relies on", async () => {
    const result = await trials("--seed", "3", "--", process.execPath, CLIENT);
    const { code, rows, stderr } = result;
    expect(code).toBe(7);
    expect(rows.map(({ dimension, result }) => [dimension, result])).toEqual(
      GREASE_DIMENSIONS.map((dimension) => [dimension, "fail"]),
    );
    for (const { dimension, variant, assumption, source } of rows) {
      expect(stderr).toMatch(new RegExp(`: ${dimension}=${variant}\n(?:.*\n)*?${dimension}: `));
      expect([typeof assumption, typeof source]).toEqual(["string", "string"]);
    }
    expect(errorOf(result)).toMatchObject({ code: "relies_on_assumptions", exitCode: 7 });
  });

  it("passes a client that relies on nothing, and marks a dimension that did not occur", async () => {
    const line = ["claims", "diligence", "submit", fixture("scenario_partial.csv"), "--seller-name", SELLER];
    const { code, rows, stderr } = await trials("--grease", "jobIdField,payloadForm", "--", ...line);
    expect(code, stderr).toBe(0);
    expect(rows.map(({ dimension, result }) => [dimension, result])).toEqual([
      ["jobIdField", "pass"],
      ["payloadForm", "untouched"],
    ]);
  });

  it("reports an error when the command fails without grease", async () => {
    const result = await trials("--", "sh", "-c", "exit 3");
    expect(result.code).toBe(7);
    expect(errorOf(result)).toMatchObject({
      code: "fails_without_grease",
      message: expect.stringContaining("(3)"),
    });
  });

  it("is required for an output format of sandbox exec", async () => {
    const result = await runCli(["sandbox", "exec", "--csv", "--", "true"]);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain("use output options with --grease-each");
  });
});

interface Trial {
  readonly dimension: string;
  readonly variant: string;
  readonly result: string;
  readonly assumption: string;
  readonly source: string;
}
