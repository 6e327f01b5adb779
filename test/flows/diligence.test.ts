import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { describe, expect, it } from "vitest";
import { errorOf, fixture, runCli, startCli, temporaryFolder } from "../support/cli.ts";
import { SELLER, startMachine, submitArgs } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

const ES003 = fixture("sample_es003.csv");
const PARTIAL = fixture("scenario_partial.csv");
async function setUp() {
  const { sandbox, env, claims } = await startMachine();
  const submit = async (file: string, ...more: string[]) => {
    const { stdout } = await claims(...submitArgs(file, ...more, "--json"));
    return JSON.parse(stdout).jobId as string;
  };
  return { sandbox, env, claims, submit };
}

describe("diligence submit", () => {
  it("prints the job id on stderr and the job on stdout", async () => {
    const { claims } = await setUp();
    const { code, stdout, stderr } = await claims(...submitArgs(ES003, "--json"));
    const job = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(job).toMatchObject({ state: "queued", sellerName: SELLER, requiresProtestDocumentation: false });
    expect(stderr).toBe(`{"note":{"message":"job ${job.jobId}","jobId":"${job.jobId}"}}\n`);
  });

  it("waits for the job with --wait --legacy", async () => {
    const { claims } = await setUp();
    const { code, stdout } = await claims(...submitArgs(ES003, "--wait", "--legacy", "--json"));
    expect(code).toBe(0);
    expect(JSON.parse(stdout).totals.entriesAccepted).toBe(200);
  });

  it("reads the file from stdin when FILE is -, and removes the copy", async () => {
    const { env } = await setUp();
    const folder = temporaryFolder();
    const input = readFileSync(PARTIAL);
    const { code, stdout } = await runCli(submitArgs("-", "--json"), {
      env: { ...env, TMPDIR: folder },
      input,
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ fileName: "stdin.csv", fileBytes: input.length });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("stops reading a pipe that never ends, and removes the copy", async () => {
    const { env } = await setUp();
    const folder = temporaryFolder();
    const submission = startCli(submitArgs("-", "--json"), { env: { ...env, TMPDIR: folder } });
    // As `yes` writes it.
    const fed = pipeline(function* () {
      const lines = Buffer.alloc(4 << 20, "y\n");
      for (;;) yield lines;
    }, submission.stdin).catch(() => {});
    const result = await submission.completion;
    await fed;
    expect(errorOf(result)).toMatchObject({
      code: "input_too_large",
      message: "stdin is larger than 256 MiB",
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("diligence status, report, dataset and pull", () => {
  it("prints tab-separated rows into a pipe", async () => {
    const { claims, submit } = await setUp();
    const id = await submit(ES003);
    const { stdout } = await claims("diligence", "wait", id);
    expect(stdout).toContain("report\ttotals.ieepaDutyCents\t198381962\n");
    expect(stdout).toMatch(/^byRoute\tcape\t\d+\t\d+\t\d+$/m);
    // A pipe gets no next step, and an empty cell for a missing value.
    const submission = await claims(...submitArgs(ES003, "--on-duplicate", "submit"));
    for (const line of (stdout + submission.stdout).split("\n").filter(Boolean))
      expect(line).toMatch(/^\S.*\t/);
    expect(submission.stdout).toContain("failure\t\n");
    const status = await claims("diligence", "status", id);
    expect(status.stdout).toMatch(/^job\t(job\.)?state\t(complete|succe|done)\w*$/m);
    const rows = (await claims("diligence", "dataset", id)).stdout.trimEnd().split("\n");
    expect(rows).toHaveLength(200);
    expect(rows[0]?.split("\t").slice(0, 3)).toEqual(["2", "ZZ962568319", "01"]);
  });

  it("pull writes report, dataset and a manifest of checksums", async () => {
    const { claims, submit, sandbox } = await setUp();
    const id = await submit(ES003);
    await claims("diligence", "wait", id);
    const folder = join(temporaryFolder(), "pulled");
    const { code, stdout } = await claims("diligence", "pull", id, "-d", folder, "--json");
    expect(code).toBe(0);
    const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
    expect(JSON.parse(stdout)).toEqual(manifest);
    expect(manifest).toMatchObject({
      jobId: id,
      baseUrl: sandbox.url,
      contractHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    for (const { name, sha256, bytes } of manifest.files) {
      const content = readFileSync(join(folder, name));
      expect(createHash("sha256").update(content).digest("hex")).toBe(sha256);
      expect(content.length).toBe(bytes);
    }
    expect(JSON.parse(readFileSync(join(folder, "report.json"), "utf8")).contractVersion).toBe(
      manifest.contractHash,
    );
    expect(readdirSync(folder).sort()).toEqual(["dataset.json", "manifest.json", "report.json"]);
  });

  it("pull downloads again only if the job or a saved file has changed", async () => {
    const { claims, submit } = await setUp();
    const id = await submit(PARTIAL);
    await claims("diligence", "wait", id);
    const folder = join(temporaryFolder(), "pulled");
    const pull = async () => {
      expect((await claims("diligence", "pull", id, "-d", folder)).code).toBe(0);
      const read = (name: string) => readFileSync(join(folder, name), "utf8");
      return {
        complete: JSON.parse(read("report.json")).complete as boolean,
        rows: JSON.parse(read("dataset.json")).rows.length as number,
        manifest: read("manifest.json"),
      };
    };
    const first = await pull();
    expect(first).toMatchObject({ complete: false, rows: 4 });
    expect(await pull()).toEqual(first);
    await writeFile(join(folder, "dataset.json"), "{}");
    const repaired = await pull();
    expect(repaired.rows).toBe(4);
    expect(repaired.manifest).not.toBe(first.manifest);
    await claims("diligence", "resume", id, "--wait");
    expect(await pull()).toMatchObject({ complete: true, rows: 6 });
  });

  it.each([
    ["csv", "text/csv", "entryNumber\r\n1\r\n"],
    ["ndjson", "application/x-ndjson", '{"entryNumber":"1"}\n'],
  ])("pull names the dataset of a service that has it as %s alone", async (ending, type, body) => {
    const { env } = await startScriptedService(({ url = "" }, response) => {
      if (url.includes("openapi")) return sendJson(response, 404, {});
      if (!url.includes("dataset")) return sendJson(response, 200, { state: "completed", rf8Review: {} });
      response.writeHead(200, { "content-type": type });
      response.end(body);
    });
    const folder = join(temporaryFolder(), "pulled");
    expect(await runCli(["diligence", "pull", "j-1", "-d", folder], { env })).toMatchObject({ code: 0 });
    expect(readdirSync(folder).sort()).toEqual([`dataset.${ending}`, "manifest.json", "report.json"]);
    expect(readFileSync(join(folder, `dataset.${ending}`), "utf8")).toBe(body);
  });

  it("pull refuses the folder of another job and any other manifest.json", async () => {
    const { claims, submit } = await setUp();
    const [one, other] = [await submit(PARTIAL), await submit(ES003)];
    for (const id of [one, other]) await claims("diligence", "wait", id);
    const folder = temporaryFolder();
    await claims("diligence", "pull", one, "-d", folder);
    const readFiles = () => readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    const before = readFiles();
    const refused = await claims("diligence", "pull", other, "-d", folder, "--json");
    expect(errorOf(refused)).toMatchObject({ code: "wrong_job", exitCode: 5, jobId: other });
    expect(errorOf(refused).message).toContain(one);
    expect(readFiles()).toEqual(before);

    await writeFile(join(folder, "manifest.json"), '{"name":"a web app"}');
    expect(errorOf(await claims("diligence", "pull", one, "-d", folder, "--json")).message).toContain(
      "has another manifest.json",
    );
  });
});
