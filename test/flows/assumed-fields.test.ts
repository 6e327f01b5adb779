import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixture, runCli, temporaryFolder } from "../support/cli.ts";
import { batchArgs, createEntryFolder } from "../support/entry-folder.ts";
import { submitArgs } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

const ENTRIES = fixture("scenario_partial.csv");

/** A service whose only job has these fields. */
const startWithJob = (fields: Record<string, unknown>) =>
  startScriptedService(({ method, url = "" }, response) => {
    if (url.includes("openapi")) return sendJson(response, 404, {});
    if (url.includes("/report/")) return sendJson(response, 200, { rf8Review: { outcome: "clear" } });
    if (url.includes("/dataset/")) return sendJson(response, 200, { rows: [] });
    sendJson(response, method === "POST" ? 202 : 200, { jobId: "j-1", state: "completed", ...fields });
  });

describe("the assumed fields of a job about its file", () => {
  it.each([
    ["fileBytes", { fileBytes: 7 }, "is about a file of 7 bytes, and scenario_partial.csv of"],
    ["fileName", { fileName: "x.csv" }, "is about x.csv, and scenario_partial.csv of"],
    ["both", { fileName: "x.csv", fileBytes: 1 }, "is about x.csv of 1 byte, and scenario_partial.csv of"],
  ])("warn submit --wait, and do not end it: %s", async (_, fields, text) => {
    const { env } = await startWithJob(fields);
    const { code, stdout, stderr } = await runCli(submitArgs(ENTRIES, "--wait", "--json"), { env });
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ rf8Review: { outcome: "clear" } });
    expect(stderr).toContain(`"warning":{"message":"job j-1 ${text}`);
  });

  it("do not end a batch, which pulls the job, and do not warn again each night", async () => {
    const home = temporaryFolder();
    const folder = createEntryFolder(1, home);
    const { env } = await startWithJob({ fileBytes: 7, fileName: "file-00.csv" });
    const args = batchArgs(folder, "--pull", join(home, "pulled"), "--yes");
    const first = await runCli(args, { env });
    expect(first.code, first.stderr).toBe(0);
    expect(first.stderr).toContain("warning: job j-1 is about file-00.csv of 7 bytes, and file-00.csv of");
    expect(existsSync(join(home, "pulled", "file-00", "manifest.json"))).toBe(true);
    const second = await runCli(args, { env });
    expect([second.code, second.stderr.includes("warning")]).toEqual([0, false]);
  });

  it("warn about a job of an earlier run if neither name nor size is that of the file", async () => {
    const home = temporaryFolder();
    const path = join(createEntryFolder(1, home), "file-00.csv");
    const job = { fileBytes: 7, fileName: "file-00.csv" };
    const { env } = await startWithJob(job);
    const skip = ["--wait", "--on-duplicate", "skip"];
    expect((await runCli(submitArgs(path), { env })).code).toBe(0);
    expect((await runCli(submitArgs(path, ...skip), { env })).stderr).not.toContain("is about");
    const renamed = join(home, "other.csv");
    renameSync(path, renamed);
    const { code, stderr } = await runCli(submitArgs(renamed, ...skip), { env });
    expect(code).toBe(0);
    expect(stderr).toContain("warning: job j-1 is about file-00.csv of 7 bytes, and other.csv of");
  });
});
