import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { GREASE_DIMENSIONS, GREASE_HEADER } from "../../src/contract/grease.ts";
import { errorOf, fixture, ROOT, runCli, temporaryFolder } from "../support/cli.ts";
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts";
import { SELLER, sandboxForTest } from "../support/sandbox.ts";
import { call, readFixture, submissionForm, submit } from "../support/sandbox-requests.ts";

describe("a sandbox with grease", () => {
  const createSubmission = () => submissionForm({ file: readFixture("scenario_partial.csv") });

  /** Submits a file and returns the bodies of this and the following responses. */
  const collectResponses = async (seed: number) => {
    const sandbox = await sandboxForTest({ grease: ["jobIdField", "stateName", "unknownFields"], seed });
    const { text, headers } = await submit(sandbox, createSubmission());
    await sandbox.idle();
    const id = headers.get("location")?.split("/").at(-1);
    const texts = [text];
    for (const path of [`status/${id}`, `report/${id}`, `dataset/${id}`, "status/nothing"])
      texts.push((await call(sandbox, `/v1/diligence/${path}`)).text);
    return texts;
  };

  it("sends the same bytes for the same seed and calls, and others for another seed", async () => {
    const texts = await collectResponses(1);
    expect(await collectResponses(1)).toEqual(texts);
    const others = await collectResponses(3);
    for (const [index, text] of texts.entries()) expect(others[index]).not.toBe(text);
  });

  it("replays the bytes of a stored response", async () => {
    const sandbox = await sandboxForTest({ grease: GREASE_DIMENSIONS });
    const headers = { "idempotency-key": "one" };
    const first = await submit(sandbox, createSubmission(), { headers });
    const replay = await submit(sandbox, createSubmission(), { headers });
    expect(replay.headers.get("idempotent-replayed")).toBe("true");
    expect(replay.text).toBe(first.text);
    expect(replay.headers.get(GREASE_HEADER)).toBe(first.headers.get(GREASE_HEADER));
  });

  it("lists the dimensions if it is started with an unknown one", async () => {
    const result = await runCli(["sandbox", "up", "--json", "--grease", "jobIdField,weather"]);
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(errorOf(result)).toMatchObject({
      code: "option_invalid",
      message: expect.stringContaining("weather"),
      hint: `name ${GREASE_DIMENSIONS.join(", ")} or all`,
    });
  });
});

describe("sandbox exec --grease-each", () => {
  const CLIENT = join(ROOT, "test/support/assumption-client.js");

  const runTrials = async (...more: string[]) => {
    const result = await runCli(["sandbox", "exec", "--grease-each", "--json", ...more]);
    return { ...result, rows: result.stdout === "" ? [] : (JSON.parse(result.stdout) as Trial[]) };
  };

  it("names every assumption that a client relies on", async () => {
    const dimensions = IS_EXHAUSTIVE ? GREASE_DIMENSIONS : GREASE_DIMENSIONS.slice(-2);
    const sample = ["--grease", dimensions.join(",")];
    const file = join(temporaryFolder(), "grease.md");
    const report = ["--report", file];
    const result = await runTrials("--seed", "3", ...sample, ...report, "--", process.execPath, CLIENT);
    const { code, rows, stderr } = result;
    expect(code).toBe(7);
    expect(rows.map(({ dimension, result }) => [dimension, result])).toEqual(
      dimensions.map((dimension) => [dimension, "fail"]),
    );
    for (const { dimension, variant, assumption, source } of rows) {
      expect(stderr).toMatch(new RegExp(`: ${dimension}=${variant}"}}\n(?:.*\n)*?${dimension}: `));
      expect([typeof assumption, typeof source]).toEqual(["string", "string"]);
    }
    expect(errorOf(result)).toMatchObject({ code: "relies_on_assumptions", exitCode: 7 });
    const failures = [...readFileSync(file, "utf8").matchAll(/^\| \*\*fails\*\* \| `(\w+)` \|/gm)];
    expect(failures.map(([, dimension]) => dimension)).toEqual(dimensions);
  });

  it("takes reports of its own formats alone", async () => {
    const ofSandbox = await runCli("sandbox exec --grease-each --report run.html -- true".split(" "));
    expect([ofSandbox.code, ofSandbox.stderr]).toEqual([2, expect.stringContaining("--grease DIMENSION")]);
    const ofChecks = await runCli(["sandbox", "exec", "--report", "run.xml", "--", "true"]);
    expect([ofChecks.code, ofChecks.stderr]).toEqual([2, expect.stringContaining("add --grease-each")]);
  });

  it("passes a client without assumptions, and marks a dimension that did not occur as untouched", {
    tags: "large",
  }, async () => {
    const line = ["claims", "diligence", "submit", fixture("scenario_partial.csv"), "--seller-name", SELLER];
    const { code, rows, stderr } = await runTrials("--grease", "jobIdField,payloadForm", "--", ...line);
    expect(code, stderr).toBe(0);
    expect(rows.map(({ dimension, result }) => [dimension, result])).toEqual([
      ["jobIdField", "pass"],
      ["payloadForm", "untouched"],
    ]);
  });

  it("reports an error when the command fails without grease", async () => {
    const result = await runTrials("--", "sh", "-c", "exit 3");
    expect(result.code).toBe(7);
    expect(errorOf(result)).toMatchObject({
      code: "fails_without_grease",
      message: expect.stringContaining("(3)"),
    });
  });

  it("is required for output options of sandbox exec", async () => {
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
