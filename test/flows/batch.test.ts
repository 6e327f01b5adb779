import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type CliResult, errorOf, fixture, runCli, spawnCli, temporaryFolder } from "../support/cli.ts";
import { type BatchItem, batchArgs, createEntryFolder, parseItems } from "../support/entry-folder.ts";
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts";
import { environmentOf, GOLDEN_TIME, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { countJobs } from "../support/sandbox-requests.ts";
import { type Script, sendJson, startScriptedService } from "../support/scripted-service.ts";
import { startSlowProxy } from "../support/slow-proxy.ts";

const ENTRIES = fixture("scenario_partial.csv");

/** Creates a folder of entry files, and returns the path of its batch log. */
function createFiles(count: number) {
  const home = temporaryFolder();
  const folder = createEntryFolder(count, home);
  return { home, folder, names: readdirSync(folder), batchLog: `${folder}.batch.jsonl` };
}

type Env = Record<string, string>;

const batch = (env: Env, source: string, ...more: string[]) =>
  runCli(["diligence", "batch", source, ...more], { env });
const runFolder = (env: Env, folder: string, ...more: string[]) =>
  runCli(batchArgs(folder, ...more), { env });

const parseSortedItems = (result: CliResult) =>
  parseItems(result).sort((one, other) => (one.file < other.file ? -1 : 1));

const readRecords = (path: string) =>
  existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line.startsWith("{") && line.endsWith("}"))
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    : [];

/** Creates a pseudorandom generator that returns the same numbers in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

const acceptSubmission: Script = (request, response, count) =>
  request.method === "POST"
    ? sendJson(response, 202, { jobId: `j-${count}` })
    : sendJson(response, 404, { detail: "none" });

/** Not shared: a request of a killed process may arrive after the test. */
const OWN_SANDBOX = { frozenAt: GOLDEN_TIME };

const KILLS = IS_EXHAUSTIVE ? 20 : 2;
const FILES = IS_EXHAUSTIVE ? 50 : 25;

describe("diligence batch after a kill", () => {
  it(`leaves one job per file after ${KILLS} kills`, { tags: "large", timeout: 120_000 }, async () => {
    const sandbox = await sandboxForTest(OWN_SANDBOX);
    const { folder, names, batchLog } = createFiles(FILES);
    const env = {
      ...environmentOf(sandbox),
      CLAIMS_BASE_URL: await startSlowProxy(sandbox.url, { beforeMs: 40, afterMs: 40 }),
    };
    const random = createRandom(7);
    const jobCounts: number[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { child, completion } = spawnCli(batchArgs(folder, "--concurrency", "2"), {
        env,
      });
      const before = readRecords(batchLog).length;
      // One in five dies during its start, the others after a few submissions.
      if (random() < 0.2) await sleep(100 * random());
      else {
        const submissions = 1 + Math.floor(7 * random());
        while (child.exitCode === null && readRecords(batchLog).length < before + submissions) await sleep(1);
        await sleep(40 * random());
      }
      child.kill("SIGKILL");
      await completion;
      jobCounts.push(await countJobs(sandbox));
    }
    expect(new Set(jobCounts).size).toBeGreaterThan(KILLS / 4);
    expect(jobCounts.at(-1)).toBeLessThan(FILES);

    const last = await runFolder(env, folder);
    expect(last.code, last.stderr).toBe(0);
    const items = parseSortedItems(last);
    expect(items.map(({ file }) => file)).toEqual(names);
    expect(new Set(items.map(({ jobId }) => jobId)).size).toBe(FILES);
    expect(await countJobs(sandbox)).toBe(FILES);
    expect((await runCli(["history", "--unknown"], { env })).code).toBe(0);
    const rerun = await runFolder(env, folder);
    expect(rerun.stderr).toContain(`${FILES} submissions: ${FILES} already`);
    expect(await countJobs(sandbox)).toBe(FILES);
  });

  it.each([
    ["before the service receives the submission", { beforeMs: 60_000, afterMs: 0 }, 0],
    ["after the service accepted the submission", { beforeMs: 0, afterMs: 60_000 }, 1],
  ])("sends the submission again with the same key if killed %s", async (_, pauses, jobs) => {
    const sandbox = await sandboxForTest(OWN_SANDBOX);
    const { folder, batchLog } = createFiles(1);
    const env = environmentOf(sandbox);
    const slow = { ...env, CLAIMS_BASE_URL: await startSlowProxy(sandbox.url, pauses) };
    const { child, completion } = spawnCli(batchArgs(folder), { env: slow });
    await expect.poll(() => readRecords(batchLog).length).toBe(1);
    await expect.poll(() => countJobs(sandbox)).toBe(jobs);
    child.kill("SIGKILL");
    await completion;
    expect(readRecords(batchLog).map(({ type }) => type)).toEqual(["intent"]);
    // The same service without the slow proxy.
    const text = readFileSync(batchLog, "utf8").replace(slow.CLAIMS_BASE_URL, sandbox.url);
    writeFileSync(batchLog, text);
    const rerun = await runFolder(env, folder);
    expect(rerun.code, rerun.stderr).toBe(0);
    expect(parseItems(rerun)).toMatchObject([{ state: "accepted", jobId: expect.any(String) }]);
    expect(await countJobs(sandbox)).toBe(1);
  });

  it("does not resend an unknown outcome to a service without idempotency keys", async () => {
    const { folder, batchLog } = createFiles(3);
    let dropsFirst = true;
    const { env, requests } = await startScriptedService((request, response, count) => {
      if (request.method === "POST" && dropsFirst && count === 1) return void request.socket.destroy();
      acceptSubmission(request, response, count);
    });
    const first = await runFolder(env, folder, "--concurrency", "1");
    expect(first.code).toBe(10);
    expect(first.stderr).toContain("3 submissions: 2 accepted, 1 outcome unknown");
    dropsFirst = false;
    const second = await runFolder(env, folder, "--json");
    expect(second.code).toBe(10);
    expect(errorOf(second)).toMatchObject({
      code: "outcome_unknown",
      hint: expect.stringContaining("--resend-unknown"),
    });
    const posts = () => requests.filter(({ method }) => method === "POST");
    expect(posts()).toHaveLength(3);
    expect(requests.at(-1)).toMatchObject({ method: "GET", url: "/v1/docs/openapi" });

    const third = await runFolder(env, folder, "--resend-unknown");
    expect(third.code, third.stderr).toBe(0);
    expect(posts()).toHaveLength(4);
    expect(posts()[3]?.headers["idempotency-key"]).toBe(posts()[0]?.headers["idempotency-key"]);
    expect(readRecords(batchLog).filter(({ type }) => type === "accepted")).toHaveLength(3);
  });

  it.each([
    ["inline", { parameters: [{ in: "header", name: "idempotency-key" }] }, {}],
    [
      "by reference",
      { parameters: [{ $ref: "#/components/parameters/Key" }] },
      { parameters: { Key: { in: "header", name: "Idempotency-Key" } } },
    ],
  ])("resends an unknown outcome if the contract declares the header %s", async (_, post, components) => {
    const { folder } = createFiles(1);
    const { env, requests } = await startScriptedService((request, response, count) => {
      if (count === 1) return void request.socket.destroy();
      if (request.method === "POST") return acceptSubmission(request, response, count);
      sendJson(response, 200, { openapi: "3.1.0", paths: { "/v1/diligence/submit": { post } }, components });
    });
    expect((await runFolder(env, folder)).code).toBe(0);
    expect(requests.map(({ method }) => method)).toEqual(["POST", "GET", "POST"]);
    expect(requests[2]?.headers["idempotency-key"]).toBe(requests[0]?.headers["idempotency-key"]);
  });

  it("finds unknown outcomes in the write log, and outcomes that diligence submit determined", async () => {
    const { folder, batchLog } = createFiles(2);
    const { env, requests } = await startScriptedService((request, response, count) => {
      if (count === 1) return void request.socket.destroy();
      acceptSubmission(request, response, count);
    });
    const keys = () =>
      requests.filter(({ method }) => method === "POST").map(({ headers }) => headers["idempotency-key"]);
    await runFolder(env, folder, "--concurrency", "1");
    const log = readFileSync(batchLog);
    rmSync(batchLog);
    const rerun = await runFolder(env, folder, "--concurrency", "1", "--on-duplicate", "submit");
    expect(rerun.stderr).toContain("1 accepted, 1 outcome unknown");
    expect(keys()).toHaveLength(3);
    expect(keys()[2]).not.toBe(keys()[0]);
    const submit = submitArgs(join(folder, "file-00.csv"), "-q");
    expect((await runCli(submit, { env })).code).toBe(10);

    writeFileSync(batchLog, log);
    const submission = await runCli([...submit, "--resend-unknown"], { env });
    expect(keys()[3]).toBe(keys()[0]);
    const [first] = parseSortedItems(await runFolder(env, folder));
    expect(first).toMatchObject({ state: "accepted", jobId: submission.stdout.trim() });
    expect(keys()).toHaveLength(4);
  });

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
    copyFileSync(ENTRIES, join(folder, "one-more.csv"));
    const rerun = await runFolder(env, folder, "--json");
    expect(rerun.stderr).toContain("1 accepted, 1 already accepted, 1 outcome unknown");
    expect(errorOf(rerun)).toMatchObject({ code: "outcome_unknown", exitCode: 10 });
  });

  it("reports the state unknown until the outcome can be determined", { tags: "large" }, async () => {
    const { folder } = createFiles(1);
    let status = 0;
    const { env } = await startScriptedService((request, response) =>
      status === 0 ? void request.socket.destroy() : sendJson(response, status, {}),
    );
    const [first] = parseSortedItems(await runFolder(env, folder));
    expect(first).toMatchObject({ state: "unknown", key: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    status = 401;
    for (const more of [[], ["--resend-unknown"], []])
      expect(parseSortedItems(await runFolder(env, folder, ...more))).toMatchObject([
        { state: "unknown", key: first?.key },
      ]);
  });

  it("skips a truncated last line of the batch log", async () => {
    const sandbox = await sandboxForTest(OWN_SANDBOX);
    const { folder, batchLog } = createFiles(2);
    const env = environmentOf(sandbox);
    await runFolder(env, folder);
    appendFileSync(batchLog, '{"type":"acc');
    copyFileSync(fixture("sample_entries.csv"), join(folder, "one-more.csv"));
    const rerun = await runFolder(env, folder);
    expect(rerun.stderr.trimEnd()).toBe("3 submissions: 1 accepted, 2 already accepted");
    expect((await runFolder(env, folder)).stderr.trimEnd()).toBe("3 submissions: 3 already accepted");
  });

  it("stops at Ctrl-C and continues on the next run", async () => {
    const sandbox = await sandboxForTest(OWN_SANDBOX);
    const { folder, batchLog } = createFiles(8);
    const env = {
      ...environmentOf(sandbox),
      CLAIMS_BASE_URL: await startSlowProxy(sandbox.url, { beforeMs: 50, afterMs: 50 }),
    };
    const { child, completion } = spawnCli(batchArgs(folder, "--concurrency", "2", "--ndjson"), { env });
    await expect.poll(() => readRecords(batchLog).length).toBeGreaterThan(4);
    child.kill("SIGINT");
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
  it("locks the batch log", async () => {
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
    const running = spawnCli(batchArgs(folder, "--concurrency", "2", "--verbose"), {
      env,
    });
    await expect.poll(() => heldResponses.length, { timeout: 10_000 }).toBe(2);
    const [first, second] = heldResponses as [ServerResponse, ServerResponse];
    sendJson(first, 429, {}, { "retry-after": "300" });
    // The second is accepted once the client has read the refusal of the first.
    await running.waitForOutput(/429/, "stderr");
    sendJson(second, 202, { jobId: "j-2" });
    const intents = () => readRecords(batchLog).filter(({ type }) => type === "intent").length;
    // The third is logged and waits.
    await expect.poll(intents, { timeout: 10_000 }).toBe(3);
    await runCli(["diligence", "status", "job-1"], { env });
    expect(countPosts()).toBe(2);
    running.child.kill("SIGINT");
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

  it("saves a response without a job id, and does not submit the file again", async () => {
    const { folder } = createFiles(1);
    const { env, requests } = await startScriptedService((_, response) =>
      sendJson(response, 202, { ref: 1 }),
    );
    const result = await runFolder(env, folder);
    expect(result).toMatchObject({ code: 10 });
    expect(result.stderr).toContain("is saved as");
    expect((await runFolder(env, folder)).stderr).toContain("1 already");
    expect(requests).toHaveLength(1);
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

describe("diligence batch manifest", () => {
  it("reads the manifest from stdin when SOURCE is -", async () => {
    const sandbox = await sandboxForTest();
    const { folder, home } = createFiles(2);
    const env = environmentOf(sandbox);
    const input = "file,seller\nfile-00.csv,Acme\nfile-01.csv,Acme\n";
    const withoutLog = await runCli(batchArgs("-"), { env, cwd: folder, input });
    expect(withoutLog.stderr).toContain("--batch-log");
    expect(withoutLog.code).toBe(2);
    const args = batchArgs("-", "--batch-log", join(home, "sent.jsonl"));
    expect((await runCli(args, { env, cwd: folder, input })).stderr).toContain("2 submissions: 2 accepted");
    expect((await runCli(args, { env, cwd: folder, input })).stderr).toContain("2 already");
    expect(await countJobs(sandbox)).toBe(2);
  });

  function manifest(text: string | Uint8Array) {
    const { home, folder } = createFiles(3);
    writeFileSync(join(folder, "empty.csv"), "");
    const path = join(home, "batch.csv");
    writeFileSync(path, text);
    return { path, home };
  }

  it("reads file, seller and protest_docs of each row", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const { path, home } = manifest(
      'seller,file,protest_docs\r\n"Harbor & Pine, LLC",entries/file-00.csv,true\r\n,"entries/file-01.csv",\r\n',
    );
    const result = await batch(env, path, "--seller-name", "Acme");
    expect(result.code, result.stderr).toBe(0);
    const [first, second] = parseSortedItems(result);
    const job = async (item: BatchItem | undefined) =>
      JSON.parse((await runCli(["diligence", "status", item?.jobId ?? "", "--json"], { env })).stdout);
    expect(await job(first)).toMatchObject({
      sellerName: "Harbor & Pine, LLC",
      requiresProtestDocumentation: true,
    });
    expect(await job(second)).toMatchObject({ sellerName: "Acme", requiresProtestDocumentation: false });
    expect(readdirSync(home)).toContain("batch.batch.jsonl");
    const history = await runCli(["diligence", "history", "-q"], { env });
    expect(history.stdout.split("\n").sort()).toEqual(["", first?.jobId, second?.jobId].sort());
  });

  it("lists each invalid row, and sends the others", async () => {
    const { path } = manifest(
      [
        "file,seller,protest_docs",
        "entries/file-00.csv,Acme,true",
        "entries/none.csv,Acme,true",
        "entries/empty.csv,Acme,",
        "entries/file-01.csv,,perhaps",
        "entries/file-00.csv,Acme,TRUE",
        "entries/file-02.csv,Acme",
        "",
      ].join("\n"),
    );
    const { env, requests } = await startScriptedService(acceptSubmission);
    const result = await batch(env, path);
    expect(result.code).toBe(5);
    const items = parseItems(result).map(({ state, error }) => [state, error?.code, error?.message]);
    expect(items).toEqual([
      ["accepted", undefined, undefined],
      ["invalid", "cannot_read", expect.stringContaining("cannot read entries")],
      ["invalid", "file_empty", expect.stringContaining("entries/empty.csv is empty")],
      ["invalid", "cell_empty", expect.stringMatching(/--seller-name.*"perhaps" is neither true nor false/)],
      ["invalid", "row_repeated", expect.stringContaining("the same submission as line 2")],
      ["invalid", "cell_count", expect.stringContaining("2 cells, the header has 3")],
    ]);
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
    const refused = await batch(env, path, "--all-or-nothing", "--batch-log", `${path}.other`);
    expect([refused.code, requests.filter(({ method }) => method === "POST").length]).toEqual([5, 1]);
  });

  it("recognizes a file by its normalized path", async () => {
    const { path, home } = manifest("file,seller\nentries/file-00.csv,Acme\n");
    const { env, requests } = await startScriptedService(acceptSubmission);
    await batch(env, path);
    for (const file of ["./entries/file-00.csv", join(home, "entries", "file-00.csv")]) {
      writeFileSync(path, `file,seller\n${file},Acme\n`);
      expect((await batch(env, path)).stderr).toContain("1 already");
    }
    expect(requests).toHaveLength(1);
  });

  it("is not overwritten if it is also given as the batch log", async () => {
    const text = "file,seller\nentries/file-00.csv,Acme\n";
    const { path } = manifest(text);
    const { env, requests } = await startScriptedService(acceptSubmission);
    const result = await batch(env, path, "--batch-log", path, "--json");
    expect(errorOf(result)).toMatchObject({ code: "invalid_input", exitCode: 2 });
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(requests).toHaveLength(0);
  });

  it.each([
    ["path,seller\na,b\n", [[1, "file", "column_missing"]]],
    ["file\nentries/file-00.csv\n", [[1, "seller", "column_missing"]]],
    ["file,seller,seller_name\na,b,c\n", [[1, "seller_name", "column_repeated"]]],
    ["file,seller,ref,ref\na,b,c,d\n", [[1, "ref", "column_repeated"]]],
    ["file,seller\n", [[null, null, "no_rows"]]],
    ['file,seller\n"a,b\n', [[2, null, "csv_malformed"]]],
  ])("reports the error of %j", async (text, errors) => {
    const { path } = manifest(text);
    const { env } = await startScriptedService(acceptSubmission);
    const error = errorOf(await batch(env, path, "--json"));
    expect(error).toMatchObject({ code: "invalid_input", exitCode: 2 });
    expect(error.errors?.map(({ line, column, code }) => [line, column, code])).toEqual(errors);
  });

  it.each([
    ['separated by ";"', "delimiter_unsupported", "file;seller\na;b\n"],
    ["separated by tabs", "delimiter_unsupported", "file\tseller\na\tb\n"],
    ["is UTF-16", "file_encoding", Buffer.from("\uFEFFfile,seller\na,b\n", "utf16le")],
    ["not UTF-8", "file_encoding", Buffer.from("file,seller\na,Espa\u00F1a\n", "latin1")],
  ])("is refused with the reason: %s", async (words, code, content) => {
    const { path } = manifest(content);
    const { env } = await startScriptedService(acceptSubmission);
    const error = errorOf(await batch(env, path, "--json"));
    expect(error).toMatchObject({ code: "invalid_input", exitCode: 2 });
    expect(error.errors).toEqual([expect.objectContaining({ column: null, code })]);
    expect(error.errors?.[0]?.message).toContain(words);
    expect(error.hint).toBe("nothing was sent; correct the manifest");
  });

  it.each([
    ["an entry file", readFileSync(ENTRIES, "utf8")],
    ["an entry file", readFileSync(ENTRIES, "utf8").replaceAll(",", ";")],
    ["an entry file", readFileSync(fixture("sample_es003.csv"), "utf8")],
    ["a ZIP archive", "PK\u0003\u0004"],
  ])("is recognized as %s if it is one", async (kind, text) => {
    const { path } = manifest(text);
    const { env } = await startScriptedService(acceptSubmission);
    const error = errorOf(await batch(env, path, "--json"));
    expect(error).toMatchObject({ code: "invalid_input", exitCode: 2 });
    expect(error.message).toContain(kind);
  });

  it("has its other columns in every output", async () => {
    const env = environmentOf(await sandboxForTest());
    const { path } = manifest(
      "client_ref,file,protest_doc,state,seller\nA-1,entries/file-00.csv,x,old,Acme\n",
    );
    const result = await batch(env, path, "--wait");
    expect(result.stderr).toContain(
      'column "protest_doc" goes to the output only; did you mean "protest_docs"?',
    );
    expect(parseItems(result)).toMatchObject([{ client_ref: "A-1", protest_doc: "x", state: "partial" }]);
    const columns = /^file,state,outcome,jobId,seller,client_ref,protest_doc,key,/;
    const csv = (await batch(env, path, "--wait", "--csv")).stdout;
    expect(csv).toMatch(columns);
    expect(csv).toContain(",Acme,A-1,x,");
    const fields = await batch(env, path, "--wait", "--fields", "client_ref,error.code");
    expect(fields.stdout).toBe('{"client_ref":"A-1","error.code":"job_partial"}\n');
  });

  it("can be a folder whose file names contain line breaks", async () => {
    const { folder } = createFiles(1);
    copyFileSync(fixture("sample_entries.csv"), join(folder, "two\nlines.csv"));
    copyFileSync(ENTRIES, join(folder, ".hidden.csv"));
    const { env } = await startScriptedService(acceptSubmission);
    const done = parseSortedItems(await runFolder(env, folder));
    expect(done.map(({ file, state }) => [file, state])).toEqual([
      ["file-00.csv", "accepted"],
      ["two\nlines.csv", "accepted"],
    ]);
  });

  it("can be a folder with what is not an entry file, which has neither lines nor columns", async () => {
    const { folder } = createFiles(1);
    mkdirSync(join(folder, "sub.csv"));
    writeFileSync(join(folder, "empty.csv"), "");
    const { env } = await startScriptedService(acceptSubmission);
    const items = parseSortedItems(await runFolder(env, folder));
    expect(items.map(({ state }) => state)).toEqual(["invalid", "accepted", "invalid"]);
    expect(items[2]?.error).toMatchObject({
      message: "sub.csv is not a file",
      hint: "correct or move the file and run the batch again",
    });
  });

  it("requires a seller and at least one file for a folder", async () => {
    const { folder, home } = createFiles(1);
    const { env } = await startScriptedService(acceptSubmission);
    expect(errorOf(await batch(env, folder, "--json"))).toMatchObject({
      code: "missing_option",
      exitCode: 2,
    });
    mkdirSync(join(home, "nothing"));
    expect(errorOf(await runFolder(env, join(home, "nothing"), "--json")).code).toBe("invalid_input");
    expect(errorOf(await runFolder(env, join(home, "missing"), "--json")).code).toBe("cannot_read");
    expect(errorOf(await runFolder(env, folder, "--concurrency", "0", "--json")).code).toBe("option_invalid");
  });
});

describe("diligence batch --wait and --pull", () => {
  it("pulls each job once, and exits with the code of the worst failure", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const { folder, home } = createFiles(2);
    copyFileSync(fixture("sample_entries.csv"), join(folder, "good.csv"));
    const pulled = join(home, "pulled");
    const first = await runFolder(env, folder, "--pull", pulled);
    expect(first.code).toBe(9);
    expect(parseSortedItems(first)).toMatchObject([
      { file: "file-00.csv", state: "partial", error: { code: "job_partial" } },
      { file: "file-01.csv", state: "partial" },
      { file: "good.csv", state: "completed", outcome: expect.any(String), error: null },
    ]);
    expect(readdirSync(pulled).sort()).toEqual(["file-00", "file-01", "good"]);
    const manifest = join(pulled, "good", "manifest.json");
    const before = readFileSync(manifest, "utf8");
    expect(JSON.parse(before).jobId).toBe(parseSortedItems(first)[2]?.jobId);

    writeFileSync(join(pulled, "file-00", "manifest.json"), "{");
    const second = await runFolder(env, folder, "--pull", pulled);
    expect(second.stderr).toContain("0 of them sent by this run");
    expect(readFileSync(manifest, "utf8")).toBe(before);
    expect(JSON.parse(readFileSync(join(pulled, "file-00", "manifest.json"), "utf8")).jobId).toBe(
      parseSortedItems(second)[0]?.jobId,
    );
    expect(await countJobs(sandbox)).toBe(3);
  });

  it("pulls a job again after a resume", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const { folder, home } = createFiles(1);
    const pulled = join(home, "pulled");
    const report = () => JSON.parse(readFileSync(join(pulled, "file-00", "report.json"), "utf8"));
    expect((await runFolder(env, folder, "--pull", pulled)).code).toBe(9);
    expect(report()).toMatchObject({ complete: false });
    expect((await runCli(["diligence", "resume", "--last", "--wait"], { env })).code).toBe(0);
    const rerun = await runFolder(env, folder, "--pull", pulled);
    expect(parseSortedItems(rerun)).toMatchObject([{ state: "completed", error: null }]);
    expect(report()).toMatchObject({ complete: true });
    expect(await countJobs(sandbox)).toBe(1);
  });

  it("pulls only into the given folder, whatever the files are named", async () => {
    const env = environmentOf(await sandboxForTest());
    const { folder, home } = createFiles(0);
    for (const name of ["...csv", ".csv"]) copyFileSync(ENTRIES, join(folder, name));
    const path = join(home, "manifest.csv");
    writeFileSync(path, "file,seller\nentries/...csv,A\nentries/.csv,B\n");
    const pulled = join(home, "pulled");
    const done = await batch(env, path, "--pull", pulled, "--on-duplicate", "submit");
    expect(done.stderr).toContain("2 of them sent by this run");
    expect(readdirSync(home).sort()).toEqual(["entries", "manifest.batch.jsonl", "manifest.csv", "pulled"]);
    expect(readdirSync(pulled).sort()).toEqual(["_", "_.."]);
  });

  it("submits a changed file again, with a warning", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const { folder, home } = createFiles(2);
    const pulled = join(home, "pulled");
    await runFolder(env, folder, "--pull", pulled);
    copyFileSync(fixture("sample_entries.csv"), join(folder, "file-01.csv"));
    const rerun = await runFolder(env, folder, "--pull", pulled, "--timeout", "1m");
    const [, { jobId } = {}] = parseSortedItems(rerun);
    expect(JSON.parse(readFileSync(join(pulled, "file-01", "manifest.json"), "utf8")).jobId).toBe(jobId);
    expect(rerun.stderr).toContain("file-01.csv or its metadata changed since job");
    expect(rerun.stderr).toContain("1 of them sent by this run");
    expect(await countJobs(sandbox)).toBe(3);
  });

  it("does not replace the pulled files of another batch", async () => {
    const env = environmentOf(await sandboxForTest());
    const [one, other] = [createFiles(1), createFiles(1)];
    const pulled = join(one.home, "pulled");
    const [first] = parseSortedItems(await runFolder(env, one.folder, "--pull", pulled));
    const refused = await runFolder(env, other.folder, "--pull", pulled, "--on-duplicate", "submit");
    expect(parseSortedItems(refused)).toMatchObject([{ error: { code: "wrong_job" } }]);
    expect(refused.stderr).toContain("1 submission: 1 partial; 1 of them sent by this run");
    expect(JSON.parse(readFileSync(join(pulled, "file-00", "manifest.json"), "utf8")).jobId).toBe(
      first?.jobId,
    );
  });

  it("writes no batch log with --sandbox", async () => {
    const { folder, home } = createFiles(2);
    const result = await runCli(batchArgs(folder, "--sandbox"));
    expect(result.code).toBe(9);
    expect(parseSortedItems(result).map(({ state }) => state)).toEqual(["partial", "partial"]);
    expect(readdirSync(home)).toEqual(["entries"]);
  });
});

describe("diligence batch output", () => {
  it("supports every list format", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const { folder, names } = createFiles(2);
    const wide = createFiles(30);
    const many = await runFolder(env, wide.folder, "--concurrency", "30");
    expect(many.stderr).toBe("30 submissions: 30 accepted\n");
    const ids = (await runFolder(env, folder, "-q", "--on-duplicate", "submit")).stdout.trimEnd().split("\n");
    expect(ids).toHaveLength(2);
    expect(
      JSON.parse((await runFolder(env, folder, "--json")).stdout)
        .map(({ file }: BatchItem) => file)
        .sort(),
    ).toEqual(names);
    expect((await runFolder(env, folder, "--csv")).stdout).toContain(
      "file,state,outcome,jobId,seller,key,error.code,error.line,error.message,error.hint\r\n",
    );
    expect((await runFolder(env, folder, "--fields", "file")).stdout).toContain('{"file":"file-00.csv"}\n');
    const dryRun = await runFolder(env, folder, "--dry-run", "--protest-docs");
    expect(dryRun.stdout).toContain("requires_protest_documentation=true");
    expect(await countJobs(sandbox)).toBe(32);
  });
});
