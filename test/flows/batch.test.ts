import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorOf, fixture, runCli, spawnCli, startCli } from "../support/cli.ts";
import {
  acceptSubmission,
  batchArgs,
  createFiles,
  parseSortedItems,
  runFolder,
} from "../support/entry-folder.ts";
import { environmentOf, GOLDEN_TIME, sandboxForTest } from "../support/sandbox.ts";
import { countJobs } from "../support/sandbox-requests.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";
import { startSlowProxy } from "../support/slow-proxy.ts";

const ENTRIES = fixture("scenario_partial.csv");

const readRecords = (path: string) =>
  existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line.startsWith("{") && line.endsWith("}"))
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    : [];

/** Not shared: a request of a killed process may arrive after the test. */
const OWN_SANDBOX = { frozenAt: GOLDEN_TIME };

describe("diligence batch after a lost response or Ctrl-C", () => {
  it.each([
    ["is a web page", 200, "text/html"],
    ["is forbidden", 403, "application/json"],
  ])("continues with the other files if the contract %s", async (_, status, type) => {
    const { folder } = createFiles(2);
    const { env } = await startScriptedService((request, response, count) => {
      if (count === 1) return void request.socket.destroy();
      if (request.method === "POST") return acceptSubmission(request, response, count);
      response.writeHead(status, { "content-type": type }).end("<html>");
    });
    await runFolder(env, folder, "--concurrency", "1");
    writeFileSync(join(folder, "one-more.csv"), `${readFileSync(ENTRIES, "utf8")}\n\n\n\n`);
    const rerun = await runFolder(env, folder, "--json");
    expect(rerun.stderr).toContain("1 accepted, 1 already accepted, 1 outcome unknown");
    expect(errorOf(rerun)).toMatchObject({ code: "outcome_unknown", exitCode: 10 });
  });

  it("stops at Ctrl-C and continues on the next run", async () => {
    const sandbox = await sandboxForTest(OWN_SANDBOX);
    const { folder, batchLog } = createFiles(8);
    const env = {
      ...environmentOf(sandbox),
      CLAIMS_BASE_URL: await startSlowProxy(sandbox.url, { beforeMs: 50, afterMs: 50 }),
    };
    const { completion, stop } = startCli(batchArgs(folder, "--concurrency", "2", "--ndjson"), { env });
    await expect.poll(() => readRecords(batchLog).length).toBeGreaterThan(4);
    stop("SIGINT");
    const result = await completion;
    expect(result.code).toBe(130);
    const { hint, message } = errorOf(result);
    expect(hint?.match(/run the (same )?command again/g)).toHaveLength(1);
    expect(message.split("; ").length, message).toBe(new Set(message.split("; ")).size);
    expect(parseSortedItems(result).map(({ state }) => state)).toContain("not sent");
    expect((await runFolder(env, folder)).code).toBe(0);
    expect(await countJobs(sandbox)).toBe(8);
  });
});

describe("diligence batch with failures", () => {
  it("locks the batch log", { tags: "large" }, async () => {
    const { folder } = createFiles(2);
    let isSilent = true;
    const { env, requests } = await startScriptedService((request, response, count) => {
      if (!isSilent) acceptSubmission(request, response, count);
    });
    const { child, completion } = spawnCli(batchArgs(folder), { env });
    await expect.poll(() => requests.length).toBe(2);
    const second = await runFolder(env, folder, "--json");
    expect(errorOf(second)).toMatchObject({
      code: "locked",
      exitCode: 6,
      message: expect.stringContaining(String(child.pid)),
    });
    expect(requests).toHaveLength(2);
    child.kill("SIGKILL");
    await completion;
    isSilent = false;
    expect((await runFolder(env, folder, "--resend-unknown")).stderr).toContain("2 accepted");
  });

  it("pauses all submissions after one 429", async () => {
    const { folder, batchLog } = createFiles(6);
    const heldResponses: ServerResponse[] = [];
    const { env, requests } = await startScriptedService((request, response, count) => {
      if (request.method === "GET") return sendJson(response, 200, { state: "completed" });
      if (count <= 2) heldResponses.push(response);
      else acceptSubmission(request, response, count);
    });
    const countPosts = () => requests.filter(({ method }) => method === "POST").length;
    const running = startCli(batchArgs(folder, "--concurrency", "2", "--verbose"), { env });
    await expect.poll(() => heldResponses.length).toBe(2);
    const [first, second] = heldResponses as [ServerResponse, ServerResponse];
    sendJson(first, 429, {}, { "retry-after": "300" });
    // The second is accepted once the client has read the refusal of the first.
    await running.waitForOutput(/429/, "stderr");
    sendJson(second, 202, { jobId: "j-2" });
    const intents = () => readRecords(batchLog).filter(({ type }) => type === "intent").length;
    // The third is logged and waits.
    await expect.poll(intents).toBe(3);
    await runCli(["diligence", "status", "job-1"], { env });
    expect(countPosts()).toBe(2);
    running.stop("SIGINT");
    expect((await running.completion).code).toBe(130);
    expect((await runFolder(env, folder)).stderr).toContain("6 submissions: 5 accepted, 1 already");
    expect(countPosts()).toBe(7);
  });

  it("stops when the credential is refused, and submits the rest on the next run", async () => {
    const { folder } = createFiles(5);
    let status = 401;
    const { env, requests } = await startScriptedService((request, response, count) =>
      status === 401 ? sendJson(response, 401, { detail: "no" }) : acceptSubmission(request, response, count),
    );
    const result = await runFolder(env, folder, "--concurrency", "1");
    expect(result.code).toBe(4);
    expect(requests).toHaveLength(1);
    expect(parseSortedItems(result).map(({ state }) => state)).toEqual([
      "refused",
      ...Array(4).fill("not sent"),
    ]);
    status = 202;
    expect((await runFolder(env, folder)).stderr).toContain("5 submissions: 5 accepted");
  });

  it("continues after a refusal, and retries that file on the next run", async () => {
    const { folder } = createFiles(3);
    let refusesSecond = true;
    const { env } = await startScriptedService((request, response, count) =>
      refusesSecond && count === 2
        ? sendJson(response, 422, { detail: "no" })
        : acceptSubmission(request, response, count),
    );
    const result = await runFolder(env, folder, "--concurrency", "1");
    expect(result.code).toBe(5);
    expect(parseSortedItems(result).map(({ state }) => state)).toEqual(["accepted", "refused", "accepted"]);
    refusesSecond = false;
    expect((await runFolder(env, folder)).stderr).toContain("1 accepted, 2 already");
  });

  it("stops after three submissions in a row without a response", { tags: "large" }, async () => {
    const { folder } = createFiles(6);
    const { env, requests } = await startScriptedService((request) => void request.socket.destroy());
    const result = await runFolder(env, folder, "--concurrency", "1");
    expect(result.code).toBe(6);
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(3);
    expect(result.stderr).toContain("3 outcome unknown, 3 not sent");
    expect(result.stderr).toContain("run the same command again");
  });

  it("sends nothing if the batch log cannot be written", async () => {
    const { folder, home } = createFiles(3);
    const { env, requests } = await startScriptedService(acceptSubmission);
    const directory = join(home, "directory");
    mkdirSync(directory);
    const result = await runFolder(env, folder, "--batch-log", directory, "--json");
    expect(errorOf(result)).toMatchObject({ exitCode: 6 });
    expect(requests).toHaveLength(0);
  });
});
