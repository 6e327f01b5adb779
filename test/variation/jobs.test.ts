import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { getContract } from "../../src/contract/openapi.ts";
import { errorOf, fixture, runCli } from "../support/cli.ts";
import { parseItems } from "../support/entry-folder.ts";
import { SELLER, submitArgs } from "../support/sandbox.ts";
import { call, entriesCsv, ordinaryEntryNumber } from "../support/sandbox-requests.ts";
import {
  findLastResponse,
  readStoredIds,
  readStoredRows,
  startVariedService,
  variationsCovering,
} from "../support/variations.ts";

const PARTIAL = fixture("scenario_partial.csv");
const FAILING = fixture("bad_files/missing_required_column.csv");

/** Writes a file whose job completes. */
function writeCompleteFile(cwd: string): string {
  writeFileSync(join(cwd, "complete.csv"), entriesCsv([ordinaryEntryNumber(1), ordinaryEntryNumber(2)]));
  return "complete.csv";
}

describe.each(variationsCovering("jobIdField"))("diligence commands on %s", (_, variation) => {
  it("submit prints the id of the stored job", async () => {
    const { sandbox, exits, idOf } = await startVariedService(variation);
    const submitted = await exits(0, ...submitArgs(PARTIAL, "--json"));
    const [job] = await readStoredRows(sandbox, "job");
    expect(submitted.stderr).toBe(`{"note":{"message":"job ${job?.id}","jobId":"${job?.id}"}}\n`);
    expect(submitted.stdout).toBe(`${(await findLastResponse(sandbox, "diligence.submit")).text}\n`);
    const second = await idOf(...submitArgs(PARTIAL, "--on-duplicate", "submit"));
    expect([String(job?.id), second].toSorted()).toEqual(await readStoredIds(sandbox, "job"));
  });

  it("batch submits each file once, also on a second run, after an unknown outcome and for a changed file", async () => {
    const { sandbox, cwd, exits } = await startVariedService(variation);
    mkdirSync(join(cwd, "entries"));
    copyFileSync(PARTIAL, join(cwd, "entries", "a.csv"));
    // A file with the same entries would be a duplicate.
    const other = readFileSync(PARTIAL, "utf8").replace("2025-11-10", "2025-11-11");
    writeFileSync(join(cwd, "entries", "b.csv"), other);
    renameSync(join(cwd, writeCompleteFile(cwd)), join(cwd, "entries", "c.csv"));
    const batch = async (code: number, ...more: string[]) => {
      const line = ["diligence", "batch", "entries", "--seller-name", SELLER, "--ndjson", ...more];
      const result = await exits(code, ...line);
      return {
        ...result,
        items: parseItems(result).toSorted((one, other) => (one.file < other.file ? -1 : 1)),
      };
    };
    const first = await batch(9, "--pull", "pulled");
    expect(first.items).toMatchObject([
      { file: "a.csv", state: "partial", error: { code: "job_partial" } },
      { file: "b.csv", state: "partial" },
      { file: "c.csv", state: variation.choices.stateName, error: null },
    ]);
    const ids = await readStoredIds(sandbox, "job");
    expect(first.items.map(({ jobId }) => jobId).toSorted()).toEqual(ids);
    for (const { file, jobId } of first.items) {
      const manifest = join(cwd, "pulled", file.replace(".csv", ""), "manifest.json");
      expect(JSON.parse(readFileSync(manifest, "utf8"))).toMatchObject({ jobId });
    }

    // The logs as they are if the process is killed before it logs the response for b.csv.
    const log = join(cwd, "entries.batch.jsonl");
    const intent = readFileSync(log, "utf8")
      .split("\n")
      .find((line) => line.includes("b.csv"));
    const { key } = JSON.parse(intent ?? "");
    for (const path of [log, join(cwd, "config", "state", "writes.jsonl")]) {
      const lines = readFileSync(path, "utf8").split("\n");
      writeFileSync(
        path,
        lines.filter((line) => line.includes('"intent"') || !line.includes(key)).join("\n"),
      );
    }
    const repeated = await batch(0);
    expect(repeated.stderr).toContain("3 submissions: ");
    expect(repeated.items.map(({ jobId }) => jobId)).toEqual(first.items.map(({ jobId }) => jobId));
    expect(await readStoredIds(sandbox, "job")).toEqual(ids);
    const submissions = await sandbox.requests.list({ operation: "diligence.submit" });
    expect(submissions.map(({ idempotentReplay }) => idempotentReplay)).toEqual([false, false, false, true]);

    writeFileSync(join(cwd, "entries", "c.csv"), entriesCsv([ordinaryEntryNumber(3)]));
    const changed = await batch(9, "--wait");
    expect(changed.stderr).toContain("1 of them sent by this run");
    expect(await readStoredIds(sandbox, "job")).toEqual([...ids, changed.items[2]?.jobId].toSorted());
  });
});

describe.each(variationsCovering("stateName"))("ended jobs on %s", (_, variation) => {
  it("submit --wait and resume --wait print the report and exit with the code of the job", async () => {
    const { sandbox, cwd, exits, idOf } = await startVariedService(variation);
    const report = async () => `${(await findLastResponse(sandbox, "diligence.report")).text}\n`;
    const partial = await exits(9, ...submitArgs(PARTIAL, "--wait", "--json"));
    expect(partial.stdout).toBe(await report());
    expect(JSON.parse(partial.stdout)).toMatchObject({ complete: false, totals: { entriesDeferred: 2 } });
    const [job] = await readStoredRows(sandbox, "job");
    const id = String(job?.id);
    expect(partial.stderr).toContain(`"jobId":"${id}"`);
    expect(errorOf(partial)).toMatchObject({
      code: "job_partial",
      hint: `claims diligence resume ${id} --wait`,
    });

    const resumed = await exits(0, "diligence", "resume", id, "--wait", "--json");
    expect(resumed.stdout).toBe(await report());
    expect(JSON.parse(resumed.stdout)).toMatchObject({ complete: true, totals: { entriesAccepted: 6 } });
    expect((await readStoredRows(sandbox, "job"))[0]).toMatchObject({ id, state: "completed", run_count: 2 });
    expect(errorOf(await exits(5, "diligence", "resume", id, "--json"))).toMatchObject({ status: 409 });

    const failed = await exits(9, ...submitArgs(FAILING, "--wait", "--json"));
    expect(errorOf(failed)).toMatchObject({
      code: "job_failed",
      message: expect.stringContaining("(REQUIRED_COLUMN_MISSING: "),
    });
    const completed = await idOf(...submitArgs(writeCompleteFile(cwd), "--wait"));
    const stored = (await readStoredRows(sandbox, "job")).find((row) => row.id === completed);
    expect(stored).toMatchObject({ state: "completed", entries_accepted: 2 });
    const declined = await exits(
      5,
      ...submitArgs(fixture("bad_entries.csv"), "--wait", "--json", "--fail-on", "declined"),
    );
    expect(errorOf(declined).code).toBe("outcome_declined");
    expect(declined.stdout).toBe(await report());
  });

  it("status, report, dataset, pull and api print the bytes of the response", async () => {
    const { sandbox, cwd, exits, idOf } = await startVariedService(variation);
    const id = await idOf(...submitArgs(writeCompleteFile(cwd), "--wait"));
    const bytes = async (resource: string, accept = "application/json") =>
      (await call(sandbox, `/v1/diligence/${resource}/${id}`, { headers: { accept } })).text;
    const [status, report, dataset] = [await bytes("status"), await bytes("report"), await bytes("dataset")];
    const [one, many, viaApi, table, card, json, ndjson, csv, rows, written, pulled] = await Promise.all([
      exits(0, "diligence", "status", id, "--json"),
      exits(0, "diligence", "status", id, id, "-q"),
      exits(0, "api", "GET", `/v1/diligence/status/${id}`),
      exits(0, "diligence", "status", id),
      exits(0, "diligence", "report", id),
      exits(0, "diligence", "dataset", id, "--json"),
      exits(0, "diligence", "dataset", id, "--ndjson"),
      exits(0, "diligence", "dataset", id, "--csv"),
      exits(0, "diligence", "dataset", id),
      exits(0, "diligence", "dataset", id, "--out", "rows.json"),
      exits(0, "diligence", "pull", id, "-d", "pulled", "--json"),
    ]);
    expect(one.stdout).toBe(`${status}\n`);
    expect(many.stdout).toBe(`${id}\n${id}\n`);
    expect(viaApi.stdout).toBe(status);
    expect(table.stdout).toMatch(
      new RegExp(`^job\\t(job\\.)?state\\t${variation.choices.stateName ?? "completed"}$`, "m"),
    );
    expect(card.stdout).toContain("report\ttotals.ieepaDutyCents\t20000\n");
    expect(json.stdout).toBe(dataset);
    expect(ndjson.stdout).toBe(await bytes("dataset", "application/x-ndjson"));
    expect(csv.stdout).toBe(await bytes("dataset", "text/csv"));
    expect(
      rows.stdout
        .trimEnd()
        .split("\n")
        .map((row) => row.split("\t")[1]),
    ).toEqual([ordinaryEntryNumber(1), ordinaryEntryNumber(2)]);
    expect([written.stdout, readFileSync(join(cwd, "rows.json"), "utf8")]).toEqual(["", dataset]);

    const inFolder = (name: string) => readFileSync(join(cwd, "pulled", name), "utf8");
    expect(readdirSync(join(cwd, "pulled")).toSorted()).toEqual([
      "dataset.json",
      "manifest.json",
      "report.json",
    ]);
    expect([inFolder("dataset.json"), inFolder("report.json")]).toEqual([dataset, report]);
    const manifest = JSON.parse(pulled.stdout);
    expect(JSON.parse(inFolder("manifest.json"))).toEqual(manifest);
    expect(manifest).toMatchObject({ jobId: id, baseUrl: sandbox.url, contractHash: getContract().hash });
    for (const { name, sha256 } of manifest.files)
      expect(createHash("sha256").update(inFolder(name)).digest("hex")).toBe(sha256);
  });

  it("history, --last and pipes use the ids of the stored jobs and the state name of the service", async () => {
    const { sandbox, cwd, env, exits, idOf } = await startVariedService(variation);
    const complete = await idOf(...submitArgs(writeCompleteFile(cwd)));
    const partial = await idOf(...submitArgs(PARTIAL));
    expect([complete, partial].toSorted()).toEqual(await readStoredIds(sandbox, "job"));
    const history = async () => JSON.parse((await exits(0, "history", "--submissions", "--json")).stdout);
    expect(await history()).toMatchObject([
      { jobId: partial, outcome: "accepted", seller: SELLER },
      { jobId: complete, outcome: "accepted" },
    ]);
    const ids = await exits(0, "history", "--submissions", "-q");
    expect(ids.stdout).toBe(`${partial}\n${complete}\n`);
    const piped = await runCli(["diligence", "status", "-", "--ndjson"], { env, input: ids.stdout });
    expect(piped.stdout.trimEnd().split("\n")).toHaveLength(2);
    expect(await history()).toMatchObject([
      { jobId: partial, state: "partial" },
      { jobId: complete, state: variation.choices.stateName },
    ]);
    expect((await exits(9, "diligence", "wait", "--last", "-q")).stdout).toBe(`${partial}\n`);
    expect(await idOf("diligence", "report", "--last")).toBe(partial);
    expect(await idOf("diligence", "resume", "--last", "--wait")).toBe(partial);
    const [resume] = JSON.parse((await exits(0, "history", "--json")).stdout);
    const state = variation.choices.stateName;
    expect(resume).toMatchObject({ operation: "diligence.resume", jobId: partial, state });
  });
});
