import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorOf, runCli, temporaryFolder } from "../support/cli.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

const JOB = "7d9c5a0e-5d0c-4f39-8a39-0c9f3e6a1f10";
const OTHER_JOB = "11111111-5d0c-4f39-8a39-0c9f3e6a1f10";
const CONTRACT = { openapi: "3.1.0", info: { title: "another service", version: "1.4" }, paths: {} };
/** As `claims contract hash` prints it: the keys sorted, without white space (RFC 8785). */
const CONTRACT_HASH = sha256(
  '{"info":{"title":"another service","version":"1.4"},"openapi":"3.1.0","paths":{}}',
);
const OTHER_HASH = sha256("another contract");

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

const HTML = { "content-type": "text/html" };

interface Answer {
  readonly headers?: Record<string, string>;
  readonly body?: Record<string, unknown>;
}

/** Starts a service whose report and dataset have these fields and headers, and pulls the job into a new folder. */
async function pullFrom(
  report: Answer,
  dataset: Answer & { readonly rows?: unknown; readonly page?: string },
  contract: unknown = CONTRACT,
) {
  const answers = { report, dataset };
  const { env, requests } = await startScriptedService(({ url = "" }, response) => {
    if (url.includes("/openapi")) {
      if (typeof contract === "string") return response.writeHead(200, HTML).end(contract);
      return contract === null ? sendJson(response, 404, {}) : sendJson(response, 200, contract);
    }
    if (url.includes("/status/")) return sendJson(response, 200, { jobId: JOB, state: "completed" });
    const { rows = [{ entryNumber: "1" }], page } = answers.dataset;
    if (url.includes("/dataset/") && page !== undefined) return response.writeHead(200, HTML).end(page);
    if (url.includes("/dataset/"))
      return sendJson(response, 200, { rows, ...answers.dataset.body }, answers.dataset.headers);
    const { body, headers } = answers.report;
    sendJson(response, 200, { rf8Review: { outcome: "clear" }, ...body }, headers);
  });
  const folder = join(temporaryFolder(), "pulled");
  const pull = (...more: string[]) => runCli(["diligence", "pull", JOB, "-d", folder, ...more], { env });
  const result = await pull("--json");
  const readManifest = () => JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
  return { ...result, answers, folder, pull, readManifest, requests };
}

const of = (contractVersion: unknown, jobId: unknown = JOB) => ({ body: { jobId, contractVersion } });
const sent = (version: string) => ({ headers: { "contract-version": version } });

const BYTES_HASH = sha256(JSON.stringify(CONTRACT));

describe("diligence pull", () => {
  it.each([
    ["1.4 in both bodies", of("1.4"), of("1.4"), "1.4"],
    ["in the headers alone", sent("1.4"), sent("1.4"), "1.4"],
    ["in a body and in a header", of("1.4"), sent('"1.4"'), "1.4"],
    ["the hash of the contract", of(CONTRACT_HASH), of(CONTRACT_HASH.toUpperCase()), CONTRACT_HASH],
    ["the hash of the bytes of the contract", of(BYTES_HASH), of(BYTES_HASH), BYTES_HASH],
  ])("records a contract version in any form: %s", async (_, report, dataset, version) => {
    const { code, stdout, stderr, readManifest } = await pullFrom(report, dataset);
    expect([code, stderr]).toEqual([0, ""]);
    expect(readManifest()).toEqual(JSON.parse(stdout));
    expect(readManifest()).toMatchObject({
      jobId: JOB,
      contractVersion: version,
      contractHash: CONTRACT_HASH,
    });
  });

  it.each([
    [
      "another one in the dataset",
      of("A"),
      of("B"),
      "the report has contract version A, the dataset has contract version B",
    ],
    [
      "another one in a header",
      { ...of("A"), ...sent("B") },
      of("A"),
      "the report has contract version A and B",
    ],
    ["a hash of another contract", of(OTHER_HASH), of(OTHER_HASH), `hashes to ${CONTRACT_HASH}`],
  ])("exits 7 for a dataset and a report of two contract versions: %s", async (_, report, dataset, text) => {
    const result = await pullFrom(report, dataset);
    expect(result.code).toBe(7);
    expect(errorOf(result)).toMatchObject({ code: "contract_changed", jobId: JOB });
    expect(errorOf(result).message).toContain(text);
    expect(existsSync(result.folder)).toBe(false);
  });

  it.each([
    ["the report", of("A", OTHER_JOB), of("A")],
    ["the dataset", of("A"), of("A", OTHER_JOB)],
    ["the dataset, under another name", of("A"), { body: { contractVersion: "A", job_id: OTHER_JOB } }],
  ])("exits 7 for another job: %s", async (what, report, dataset) => {
    const result = await pullFrom(report, dataset);
    expect(result.code).toBe(7);
    expect(errorOf(result)).toMatchObject({ code: "wrong_job", jobId: JOB });
    expect(errorOf(result).message).toContain(`${what.split(",")[0]} is of job ${OTHER_JOB}`);
    expect(existsSync(result.folder)).toBe(false);
  });

  it("does not mistake the job ids of rows for that of the dataset, nor one in upper case for another", async () => {
    const rows = [{ jobId: OTHER_JOB, contractVersion: "B", note: 'a "quoted" ]}\\' }];
    const { code, stderr } = await pullFrom(of("A", JOB.toUpperCase()), { ...of("A"), rows });
    expect([code, stderr]).toEqual([0, ""]);
  });

  it("warns if neither names a contract version, and the manifest says so", async () => {
    const { code, stderr, readManifest, pull } = await pullFrom({}, {});
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^\{"warning":\{"message":"neither the report nor the dataset names a contract version/,
    );
    expect(readManifest()).toMatchObject({ contractVersion: null });
    // Nothing is pulled again.
    expect(await pull()).toMatchObject({ code: 0, stderr: "" });
  });

  it.each([
    ["the report", {}, of("A")],
    ["the dataset", of("A"), {}],
  ])("warns if one of them names no contract version: %s", async (what, report, dataset) => {
    const { code, stderr, readManifest } = await pullFrom(report, dataset);
    expect([code, readManifest().contractVersion]).toEqual([0, "A"]);
    expect(stderr).toContain(`${what} names no contract version`);
  });

  it.each([
    ["none", null, false],
    ["a page for people", "<title>API</title>", true],
    ["one that cannot be hashed", { openapi: "3.1.0", paths: {}, x: "\ud800" }, true],
  ])("needs no contract of the service: %s", async (_, contract, isWarned) => {
    const { code, stderr, readManifest } = await pullFrom(of(OTHER_HASH), of(OTHER_HASH), contract);
    expect(code).toBe(0);
    expect(readManifest()).toMatchObject({ contractHash: null, contractVersion: OTHER_HASH });
    expect(stderr.includes("the contract of the service cannot be read")).toBe(isWarned);
  });

  it("keeps the files of an earlier pull if the new ones are not of one contract version", async () => {
    const { answers, folder, pull } = await pullFrom(of("A"), of("A"));
    const readFolder = () =>
      readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]);
    const before = readFolder();
    Object.assign(answers, { report: of("B"), dataset: of("A") });
    expect((await pull()).code).toBe(7);
    expect(readFolder()).toEqual(before);
    Object.assign(answers, { dataset: of("B") });
    expect((await pull()).code).toBe(0);
    expect(readFolder()).not.toEqual(before);
  });

  it("does not save a web page as the dataset, and takes JSON of the wrong type", async () => {
    const result = await pullFrom(of("A"), { page: "<title>Maintenance</title>" });
    expect(result.code).toBe(6);
    expect(errorOf(result)).toMatchObject({ code: "unexpected_response" });
    expect(existsSync(result.folder)).toBe(false);
    expect(await pullFrom(of("A"), { ...of("A"), headers: HTML })).toMatchObject({ code: 0, stderr: "" });
  });
});
