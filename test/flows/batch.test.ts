import { spawn } from "node:child_process";
import { once } from "node:events";
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
import { describe, expect, it, onTestFinished } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { type CliResult, errorOf, fixture, runCli, spawnCli, temporaryFolder } from "../support/cli.ts";
import { environmentOf, GOLDEN_TIME, sandboxForTest } from "../support/sandbox.ts";
import { type Script, sendJson, startScriptedService } from "../support/scripted-service.ts";
import { startSlowProxy } from "../support/slow-proxy.ts";

const ENTRIES = fixture("scenario_partial.csv");

/** A folder of that many entry files, and room for a ledger beside it. */
function filesFor(count: number) {
  const home = temporaryFolder();
  const folder = join(home, "entries");
  mkdirSync(folder);
  const names = Array.from({ length: count }, (_, n) => `file-${String(n).padStart(2, "0")}.csv`);
  for (const name of names) copyFileSync(ENTRIES, join(folder, name));
  return { home, folder, names, ledger: `${folder}.ledger.jsonl` };
}

type Env = Record<string, string>;

const batchArgs = (source: string, ...more: string[]) => ["diligence", "batch", source, ...more];
const batch = (env: Env, source: string, ...more: string[]) => runCli(batchArgs(source, ...more), { env });
const ofFolder = (env: Env, folder: string, ...more: string[]) =>
  batch(env, folder, "--seller-name", "Acme", ...more);

interface Item {
  readonly file: string;
  readonly jobId: string | null;
  readonly state: string;
  readonly outcome: string | null;
  readonly error: { code: string; message: string } | null;
}

const itemsOf = ({ stdout }: CliResult): Item[] =>
  stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

const byFile = (result: CliResult) => itemsOf(result).sort((one, other) => (one.file < other.file ? -1 : 1));

const recordsIn = (path: string) =>
  existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line.startsWith("{") && line.endsWith("}"))
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    : [];

async function jobsIn({ url, controlToken }: Sandbox): Promise<number> {
  const answer = await fetch(`${url}/_sandbox/state`, {
    headers: { authorization: `Bearer ${controlToken}` },
  });
  const { jobs } = (await answer.json()) as { jobs: Record<string, number> };
  return Object.values(jobs).reduce((sum, count) => sum + count, 0);
}

/** Numbers that look random and are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

const accepting: Script = (request, response, count) =>
  request.method === "POST"
    ? sendJson(response, 202, { jobId: `j-${count}` })
    : sendJson(response, 404, { detail: "none" });

/** A sandbox that no other test gets: a request of a killed process may arrive after the test. */
const OWN = { frozenAt: GOLDEN_TIME };

describe("a batch that is killed", () => {
  it("ends with one job a file, however often and wherever it was killed", async () => {
    const sandbox = await sandboxForTest(OWN);
    const { folder, names, ledger } = filesFor(50);
    const env = {
      ...environmentOf(sandbox),
      CLAIMS_BASE_URL: await startSlowProxy(sandbox.url, { before: 40, after: 40 }),
    };
    const random = seeded(7);
    const reached: number[] = [];
    for (let kill = 0; kill < 20; kill += 1) {
      const { child, ended } = spawnCli(batchArgs(folder, "--seller-name", "Acme", "--concurrency", "2"), {
        env,
      });
      const before = recordsIn(ledger).length;
      // Some die before they are up, most in the middle of a few submissions.
      if (random() < 0.2) await sleep(100 * random());
      else {
        const further = 1 + Math.floor(7 * random());
        while (child.exitCode === null && recordsIn(ledger).length < before + further) await sleep(1);
        await sleep(40 * random());
      }
      child.kill("SIGKILL");
      await ended;
      reached.push(await jobsIn(sandbox));
    }
    expect(new Set(reached).size).toBeGreaterThan(5);
    expect(reached.at(-1)).toBeLessThan(50);

    const last = await ofFolder(env, folder);
    expect(last.code, last.stderr).toBe(0);
    const items = byFile(last);
    expect(items.map(({ file }) => file)).toEqual(names);
    expect(new Set(items.map(({ jobId }) => jobId)).size).toBe(50);
    expect(await jobsIn(sandbox)).toBe(50);
    const again = await ofFolder(env, folder);
    expect(again.stderr).toContain("50 submissions: 50 already");
    expect(await jobsIn(sandbox)).toBe(50);
  }, 120_000);

  it.each([
    ["before the service has it", { before: 60_000, after: 0 }, 0],
    ["when the service has it", { before: 0, after: 60_000 }, 1],
  ])("%s: the same key settles it", async (_, pauses, jobs) => {
    const sandbox = await sandboxForTest(OWN);
    const { folder, ledger } = filesFor(1);
    const env = environmentOf(sandbox);
    const slow = { ...env, CLAIMS_BASE_URL: await startSlowProxy(sandbox.url, pauses) };
    const { child, ended } = spawnCli(batchArgs(folder, "--seller-name", "Acme"), { env: slow });
    await expect.poll(() => recordsIn(ledger).length).toBe(1);
    await expect.poll(() => jobsIn(sandbox)).toBe(jobs);
    child.kill("SIGKILL");
    await ended;
    expect(recordsIn(ledger).map(({ type }) => type)).toEqual(["intent"]);
    // The same service by another address, at its usual speed.
    const text = readFileSync(ledger, "utf8").replace(slow.CLAIMS_BASE_URL, sandbox.url);
    writeFileSync(ledger, text);
    const rerun = await ofFolder(env, folder);
    expect(rerun.code, rerun.stderr).toBe(0);
    expect(itemsOf(rerun)).toMatchObject([{ state: "accepted", jobId: expect.any(String) }]);
    expect(await jobsIn(sandbox)).toBe(1);
  });

  it.runIf(process.platform === "linux")(
    "has no lock any more, though nobody has waited for it",
    async () => {
      const sandbox = await sandboxForTest(OWN);
      const { folder, ledger } = filesFor(1);
      // The shell becomes a program that never asks what became of the child.
      const parent = spawn("sh", ["-c", "sleep 600 & echo $!; exec sleep 600"]);
      onTestFinished(() => void parent.kill("SIGKILL"));
      const [line] = (await once(parent.stdout, "data")) as [Buffer];
      const pid = Number(String(line));
      const name = () => readFileSync(`/proc/${parent.pid}/comm`, "utf8").trim();
      await expect.poll(name).toBe("sleep");
      process.kill(pid, "SIGKILL");
      await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toContain(") Z ");
      mkdirSync(`${ledger}.lock`);
      writeFileSync(join(`${ledger}.lock`, `${pid}-abcdef01-0`), "");
      const result = await ofFolder(environmentOf(sandbox), folder);
      expect(result.code, result.stderr).toBe(0);
    },
  );

  it("before it has written the answer down: the same key settles it", async () => {
    const sandbox = await sandboxForTest(OWN);
    const { folder, ledger } = filesFor(1);
    const env = environmentOf(sandbox);
    const [first] = itemsOf(await ofFolder(env, folder));
    const [intent = ""] = readFileSync(ledger, "utf8").split("\n");
    writeFileSync(ledger, `${intent}\n`);
    expect(itemsOf(await ofFolder(env, folder))).toEqual([first]);
    expect(await jobsIn(sandbox)).toBe(1);
  });

  it("lists what is in doubt on a service that does not promise to honour the key", async () => {
    const { folder, ledger } = filesFor(3);
    let lossy = true;
    const { env, requests } = await startScriptedService((request, response, count) => {
      if (request.method === "POST" && lossy && count === 1) return void request.socket.destroy();
      accepting(request, response, count);
    });
    const first = await ofFolder(env, folder, "--concurrency", "1");
    expect(first.code).toBe(6);
    expect(first.stderr).toContain("3 submissions: 2 accepted, 1 unknown");
    lossy = false;
    const second = await ofFolder(env, folder, "--json");
    expect(second.code).toBe(6);
    expect(errorOf(second)).toMatchObject({
      code: "outcome_unknown",
      hint: expect.stringContaining("--resend-unknown"),
    });
    const posts = () => requests.filter(({ method }) => method === "POST");
    expect(posts()).toHaveLength(3);
    expect(requests.at(-1)).toMatchObject({ method: "GET", url: "/v1/docs/openapi" });

    const third = await ofFolder(env, folder, "--resend-unknown");
    expect(third.code, third.stderr).toBe(0);
    expect(posts()).toHaveLength(4);
    expect(posts()[3]?.headers["idempotency-key"]).toBe(posts()[0]?.headers["idempotency-key"]);
    expect(recordsIn(ledger).filter(({ type }) => type === "accepted")).toHaveLength(3);
  });

  it.each([
    ["written out", { parameters: [{ in: "header", name: "idempotency-key" }] }, {}],
    [
      "by reference",
      { parameters: [{ $ref: "#/components/parameters/Key" }] },
      { parameters: { Key: { in: "header", name: "Idempotency-Key" } } },
    ],
  ])("sends it again where the contract names the header, %s", async (_, post, components) => {
    const { folder } = filesFor(1);
    const { env, requests } = await startScriptedService((request, response, count) => {
      if (count === 1) return void request.socket.destroy();
      if (request.method === "POST") return accepting(request, response, count);
      sendJson(response, 200, { openapi: "3.1.0", paths: { "/v1/diligence/submit": { post } }, components });
    });
    expect((await ofFolder(env, folder)).code).toBe(6);
    expect((await ofFolder(env, folder)).code).toBe(0);
    expect(requests.map(({ method }) => method)).toEqual(["POST", "GET", "POST"]);
    expect(requests[2]?.headers["idempotency-key"]).toBe(requests[0]?.headers["idempotency-key"]);
  });

  it("knows what is in doubt on this machine without its ledger, and what a submit has settled", async () => {
    const { folder, ledger } = filesFor(2);
    const { env, requests } = await startScriptedService((request, response, count) => {
      if (count === 1) return void request.socket.destroy();
      accepting(request, response, count);
    });
    const keys = () =>
      requests.filter(({ method }) => method === "POST").map(({ headers }) => headers["idempotency-key"]);
    await ofFolder(env, folder, "--concurrency", "1");
    const written = readFileSync(ledger);
    rmSync(ledger);
    expect((await ofFolder(env, folder, "--concurrency", "1")).stderr).toContain("1 accepted, 1 unknown");
    expect(keys()).toHaveLength(3);
    expect(keys()[2]).not.toBe(keys()[0]);

    writeFileSync(ledger, written);
    const file = join(folder, "file-00.csv");
    const submitted = await runCli(["diligence", "submit", file, "--seller-name", "Acme", "-q"], { env });
    expect(keys()[3]).toBe(keys()[0]);
    const [first] = byFile(await ofFolder(env, folder));
    expect(first).toMatchObject({ state: "accepted", jobId: submitted.stdout.trim() });
    expect(keys()).toHaveLength(4);
  });

  it.each([
    ["is a web page", 200, "text/html"],
    ["is not for this credential", 403, "application/json"],
  ])("goes on with the others where the contract %s", async (_, status, type) => {
    const { folder } = filesFor(2);
    const { env } = await startScriptedService((request, response, count) => {
      if (count === 1) return void request.socket.destroy();
      if (request.method === "POST") return accepting(request, response, count);
      response.writeHead(status, { "content-type": type }).end("<html>");
    });
    await ofFolder(env, folder, "--concurrency", "1");
    copyFileSync(ENTRIES, join(folder, "one-more.csv"));
    const rerun = await ofFolder(env, folder, "--json");
    expect(rerun.stderr).toContain("1 accepted, 1 already, 1 unknown");
    expect(errorOf(rerun)).toMatchObject({ code: "outcome_unknown", exitCode: 6 });
  });

  it("shows what is in doubt as unknown when it cannot be settled", async () => {
    const { folder } = filesFor(1);
    let status = 0;
    const { env } = await startScriptedService((request, response) =>
      status === 0 ? void request.socket.destroy() : sendJson(response, status, {}),
    );
    await ofFolder(env, folder);
    status = 401;
    for (const more of [[], ["--resend-unknown"], []])
      expect(byFile(await ofFolder(env, folder, ...more))).toMatchObject([{ state: "unknown" }]);
  });

  it("skips the torn last line of its ledger", async () => {
    const sandbox = await sandboxForTest(OWN);
    const { folder, ledger } = filesFor(2);
    const env = environmentOf(sandbox);
    await ofFolder(env, folder);
    appendFileSync(ledger, '{"type":"acc');
    copyFileSync(fixture("sample_entries.csv"), join(folder, "one-more.csv"));
    const rerun = await ofFolder(env, folder);
    expect(rerun.stderr.trimEnd()).toBe("3 submissions: 1 accepted, 2 already");
    expect((await ofFolder(env, folder)).stderr.trimEnd()).toBe("3 submissions: 3 already");
  });

  it("stops at Ctrl-C, says how to go on, and goes on", async () => {
    const sandbox = await sandboxForTest(OWN);
    const { folder, ledger } = filesFor(8);
    const env = {
      ...environmentOf(sandbox),
      CLAIMS_BASE_URL: await startSlowProxy(sandbox.url, { before: 50, after: 50 }),
    };
    const { child, ended } = spawnCli(
      batchArgs(folder, "--seller-name", "Acme", "--concurrency", "2", "--ndjson"),
      { env },
    );
    await expect.poll(() => recordsIn(ledger).length).toBeGreaterThan(4);
    child.kill("SIGINT");
    const result = await ended;
    expect(result.code).toBe(130);
    const { hint, message } = errorOf(result);
    expect(hint?.match(/run the (same )?command again/g)).toHaveLength(1);
    expect(message.split("; ").length, message).toBe(new Set(message.split("; ")).size);
    expect(byFile(result).map(({ state }) => state)).toContain("not sent");
    expect((await ofFolder(env, folder)).code).toBe(0);
    expect(await jobsIn(sandbox)).toBe(8);
  });
});

describe("a batch in trouble", () => {
  it("holds a ledger for itself", async () => {
    const { folder } = filesFor(2);
    let silent = true;
    const { env, requests } = await startScriptedService((request, response, count) => {
      if (!silent) accepting(request, response, count);
    });
    const { child, ended } = spawnCli(batchArgs(folder, "--seller-name", "Acme"), { env });
    await expect.poll(() => requests.length).toBe(2);
    const second = await ofFolder(env, folder, "--json");
    expect(errorOf(second)).toMatchObject({
      code: "locked",
      exitCode: 2,
      message: expect.stringContaining(String(child.pid)),
    });
    expect(requests).toHaveLength(2);
    child.kill("SIGKILL");
    await ended;
    silent = false;
    expect((await ofFolder(env, folder, "--resend-unknown")).stderr).toContain("2 accepted");
  });

  it("slows down as a whole at one 429: nothing leaves while the service wants none", async () => {
    const { folder, ledger } = filesFor(6);
    const held: ServerResponse[] = [];
    const { env, requests } = await startScriptedService((request, response, count) => {
      if (request.method === "GET") return sendJson(response, 200, { state: "completed" });
      if (count <= 2) held.push(response);
      else accepting(request, response, count);
    });
    const sent = () => requests.filter(({ method }) => method === "POST").length;
    const running = spawnCli(batchArgs(folder, "--seller-name", "Acme", "--concurrency", "2", "--verbose"), {
      env,
    });
    await expect.poll(() => held.length, { timeout: 10_000 }).toBe(2);
    const [first, second] = held as [ServerResponse, ServerResponse];
    sendJson(first, 429, {}, { "retry-after": "300" });
    // The second is accepted once the client has read the refusal of the first.
    await running.seen(/429/, "stderr");
    sendJson(second, 202, { jobId: "j-2" });
    const intents = () => recordsIn(ledger).filter(({ type }) => type === "intent").length;
    // The third is written down and stays here.
    await expect.poll(intents, { timeout: 10_000 }).toBe(3);
    await runCli(["diligence", "status", "job-1"], { env });
    expect(sent()).toBe(2);
    running.child.kill("SIGINT");
    expect((await running.ended).code).toBe(130);
    expect((await ofFolder(env, folder)).stderr).toContain("6 submissions: 5 accepted, 1 already");
    expect(sent()).toBe(7);
  });

  it("ends at once when the credential is refused, and sends the rest next time", async () => {
    const { folder } = filesFor(5);
    let status = 401;
    const { env, requests } = await startScriptedService((request, response, count) =>
      status === 401 ? sendJson(response, 401, { detail: "no" }) : accepting(request, response, count),
    );
    const result = await ofFolder(env, folder, "--concurrency", "1");
    expect(result.code).toBe(4);
    expect(requests).toHaveLength(1);
    expect(byFile(result).map(({ state }) => state)).toEqual(["refused", ...Array(4).fill("not sent")]);
    status = 202;
    expect((await ofFolder(env, folder)).stderr).toContain("5 submissions: 5 accepted");
  });

  it("goes on after one refusal, and tries that file again next time", async () => {
    const { folder } = filesFor(3);
    let picky = true;
    const { env } = await startScriptedService((request, response, count) =>
      picky && count === 2 ? sendJson(response, 422, { detail: "no" }) : accepting(request, response, count),
    );
    const result = await ofFolder(env, folder, "--concurrency", "1");
    expect(result.code).toBe(5);
    expect(byFile(result).map(({ state }) => state)).toEqual(["accepted", "refused", "accepted"]);
    picky = false;
    expect((await ofFolder(env, folder)).stderr).toContain("1 accepted, 2 already");
  });

  it("gives up after three submissions in a row that did not come through", async () => {
    const { folder } = filesFor(6);
    const { env, requests } = await startScriptedService((request) => void request.socket.destroy());
    const result = await ofFolder(env, folder, "--concurrency", "1");
    expect(result.code).toBe(6);
    expect(requests).toHaveLength(3);
    expect(result.stderr).toContain("3 unknown, 3 not sent");
    expect(result.stderr).toContain("run the same command again");
  });

  it("keeps an answer without a job id, and does not send its file again", async () => {
    const { folder } = filesFor(1);
    const { env, requests } = await startScriptedService((_, response) =>
      sendJson(response, 202, { ref: 1 }),
    );
    const result = await ofFolder(env, folder);
    expect(result).toMatchObject({ code: 5 });
    expect(result.stderr).toContain("is saved as");
    expect((await ofFolder(env, folder)).stderr).toContain("1 already");
    expect(requests).toHaveLength(1);
  });

  it("sends nothing that its ledger cannot keep", async () => {
    const { folder, home } = filesFor(3);
    const { env, requests } = await startScriptedService(accepting);
    const inTheWay = join(home, "in-the-way");
    mkdirSync(inTheWay);
    const result = await ofFolder(env, folder, "--ledger", inTheWay, "--json");
    expect(errorOf(result)).toMatchObject({ exitCode: 2 });
    expect(requests).toHaveLength(0);
  });
});

describe("a manifest", () => {
  it("comes from stdin, with paths from here and a ledger where it is told", async () => {
    const sandbox = await sandboxForTest();
    const { folder, home } = filesFor(2);
    const env = environmentOf(sandbox);
    const input = "file,seller\nfile-00.csv,Acme\nfile-01.csv,Acme\n";
    const homeless = await runCli(batchArgs("-"), { env, cwd: folder, input });
    expect(homeless.stderr).toContain("--ledger");
    expect(homeless.code).toBe(2);
    const args = batchArgs("-", "--ledger", join(home, "sent.jsonl"));
    expect((await runCli(args, { env, cwd: folder, input })).stderr).toContain("2 submissions: 2 accepted");
    expect((await runCli(args, { env, cwd: folder, input })).stderr).toContain("2 already");
    expect(await jobsIn(sandbox)).toBe(2);
  });

  function manifest(text: string) {
    const { home, folder } = filesFor(3);
    writeFileSync(join(folder, "empty.csv"), "");
    const path = join(home, "batch.csv");
    writeFileSync(path, text);
    return { path, home };
  }

  it("names file, seller and flag of each row", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const { path, home } = manifest(
      'seller,file,protest_docs\r\n"Harbor & Pine, LLC",entries/file-00.csv,true\r\n,"entries/file-01.csv",\r\n',
    );
    const result = await batch(env, path, "--seller-name", "Acme");
    expect(result.code, result.stderr).toBe(0);
    const [first, second] = byFile(result);
    const job = async (item: Item | undefined) =>
      JSON.parse((await runCli(["diligence", "status", item?.jobId ?? "", "--json"], { env })).stdout);
    expect(await job(first)).toMatchObject({
      sellerName: "Harbor & Pine, LLC",
      requiresProtestDocumentation: true,
    });
    expect(await job(second)).toMatchObject({ sellerName: "Acme", requiresProtestDocumentation: false });
    expect(readdirSync(home)).toContain("batch.ledger.jsonl");
    const history = await runCli(["diligence", "history", "-q"], { env });
    expect(history.stdout.split("\n").sort()).toEqual(["", first?.jobId, second?.jobId].sort());
  });

  it("has all its faults told before anything is sent", async () => {
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
    const { env, requests } = await startScriptedService(accepting);
    const result = await batch(env, path, "--json");
    const { code, message, exitCode } = errorOf(result);
    expect({ code, exitCode }).toEqual({ code: "manifest_faults", exitCode: 2 });
    for (const fault of [
      "6 faults",
      "line 3, column file: entries/none.csv cannot be read",
      "line 4, column file: entries/empty.csv is empty",
      "line 5, column seller: it is empty",
      'line 5, column protest_docs: "perhaps"',
      "line 6: the same submission as line 2",
      "line 7 has 2 cells, the header 3",
    ]) {
      expect(message).toContain(fault);
    }
    expect(requests).toHaveLength(0);
  });

  it("knows a file again however its path is written", async () => {
    const { path, home } = manifest("file,seller\nentries/file-00.csv,Acme\n");
    const { env, requests } = await startScriptedService(accepting);
    await batch(env, path);
    for (const file of ["./entries/file-00.csv", join(home, "entries", "file-00.csv")]) {
      writeFileSync(path, `file,seller\n${file},Acme\n`);
      expect((await batch(env, path)).stderr).toContain("1 already");
    }
    expect(requests).toHaveLength(1);
  });

  it("is never taken for a ledger", async () => {
    const text = "file,seller\nentries/file-00.csv,Acme\n";
    const { path } = manifest(text);
    const { env, requests } = await startScriptedService(accepting);
    const result = await batch(env, path, "--ledger", path, "--json");
    expect(errorOf(result)).toMatchObject({ code: "no_ledger", exitCode: 2 });
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(requests).toHaveLength(0);
  });

  it.each([
    ["path,seller\na,b\n", 'the column "path" is unknown; the column file is missing'],
    ["file\nentries/file-00.csv\n", "the column seller (or give --seller-name) is missing"],
    ["file,seller,seller_name\na,b,c\n", "a column is there twice"],
    ["file,seller\n", "it has no row"],
    ["file,seller,protest_docs\nentries/file-00.csv,a,constructor\n", "neither true nor false"],
    ['file,seller\n"a,b\n', "line 2"],
  ])("%j is told what is wrong with it", async (text, fault) => {
    const { path } = manifest(text);
    const { env } = await startScriptedService(accepting);
    const result = await batch(env, path, "--json");
    expect(errorOf(result)).toMatchObject({ exitCode: 2, message: expect.stringContaining(fault) });
  });

  it("may be a folder, all of it: a line break in a name leaves no file out", async () => {
    const { folder } = filesFor(1);
    copyFileSync(ENTRIES, join(folder, "two\nlines.csv"));
    copyFileSync(ENTRIES, join(folder, ".hidden.csv"));
    const { env } = await startScriptedService(accepting);
    const done = byFile(await ofFolder(env, folder));
    expect(done.map(({ file, state }) => [file, state])).toEqual([
      ["file-00.csv", "accepted"],
      ["two\nlines.csv", "accepted"],
    ]);
  });

  it("may be a folder, which needs a seller and a file", async () => {
    const { folder, home } = filesFor(1);
    const { env } = await startScriptedService(accepting);
    expect(errorOf(await batch(env, folder, "--json"))).toMatchObject({
      code: "missing_option",
      exitCode: 2,
    });
    mkdirSync(join(home, "nothing"));
    expect(errorOf(await ofFolder(env, join(home, "nothing"), "--json")).code).toBe("nothing_to_submit");
    expect(errorOf(await ofFolder(env, join(home, "missing"), "--json")).code).toBe("cannot_read");
    expect(errorOf(await ofFolder(env, folder, "--concurrency", "0", "--json")).code).toBe(
      "invalid_concurrency",
    );
  });
});

describe("a batch that waits", () => {
  it("pulls each job once, and exits with the code of the worst", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const { folder, home } = filesFor(2);
    copyFileSync(fixture("sample_entries.csv"), join(folder, "good.csv"));
    const pulled = join(home, "pulled");
    const first = await ofFolder(env, folder, "--pull", pulled);
    expect(first.code).toBe(9);
    expect(byFile(first)).toMatchObject([
      { file: "file-00.csv", state: "partial", error: { code: "job_partial" } },
      { file: "file-01.csv", state: "partial" },
      { file: "good.csv", state: "completed", outcome: expect.any(String), error: null },
    ]);
    expect(readdirSync(pulled).sort()).toEqual(["file-00", "file-01", "good"]);
    const manifest = join(pulled, "good", "manifest.json");
    const before = readFileSync(manifest, "utf8");
    expect(JSON.parse(before).jobId).toBe(byFile(first)[2]?.jobId);

    writeFileSync(join(pulled, "file-00", "manifest.json"), "{");
    const second = await ofFolder(env, folder, "--pull", pulled);
    expect(second.stderr).toContain("3 already");
    expect(readFileSync(manifest, "utf8")).toBe(before);
    expect(JSON.parse(readFileSync(join(pulled, "file-00", "manifest.json"), "utf8")).jobId).toBe(
      byFile(second)[0]?.jobId,
    );
    expect(await jobsIn(sandbox)).toBe(3);
  });

  it("pulls into the folder it was given and nowhere above, whatever files are called", async () => {
    const env = environmentOf(await sandboxForTest());
    const { folder, home } = filesFor(0);
    for (const name of ["...csv", ".csv"]) copyFileSync(ENTRIES, join(folder, name));
    const path = join(home, "manifest.csv");
    writeFileSync(path, "file,seller\nentries/...csv,A\nentries/.csv,B\n");
    const pulled = join(home, "pulled");
    expect((await batch(env, path, "--pull", pulled)).stderr).toContain("2 accepted");
    expect(readdirSync(home).sort()).toEqual(["entries", "manifest.csv", "manifest.ledger.jsonl", "pulled"]);
    expect(readdirSync(pulled).sort()).toEqual(["_", "_.."]);
  });

  it("submits a changed file anew, and says so", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const { folder } = filesFor(2);
    await ofFolder(env, folder);
    copyFileSync(fixture("sample_entries.csv"), join(folder, "file-01.csv"));
    const again = await ofFolder(env, folder, "--wait", "--timeout", "1m");
    expect(again.stderr).toContain("file-01.csv, or what is said of it, has changed since job");
    expect(again.stderr).toContain("1 accepted, 1 already");
    expect(await jobsIn(sandbox)).toBe(3);
  });

  it("works on a sandbox that lives for one command, and leaves no ledger", async () => {
    const { folder, home } = filesFor(2);
    const result = await runCli(batchArgs(folder, "--seller-name", "Acme", "--sandbox"));
    expect(result.code).toBe(9);
    expect(byFile(result).map(({ state }) => state)).toEqual(["partial", "partial"]);
    expect(readdirSync(home)).toEqual(["entries"]);
  });
});

describe("what a batch prints", () => {
  it("comes in every format of a list", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const { folder, names } = filesFor(2);
    const wide = filesFor(30);
    const many = await ofFolder(env, wide.folder, "--concurrency", "30");
    expect(many.stderr).toBe("30 submissions: 30 accepted\n");
    const ids = (await ofFolder(env, folder, "-q")).stdout.trimEnd().split("\n");
    expect(ids).toHaveLength(2);
    expect(
      JSON.parse((await ofFolder(env, folder, "--json")).stdout)
        .map(({ file }: Item) => file)
        .sort(),
    ).toEqual(names);
    expect((await ofFolder(env, folder, "--csv")).stdout).toContain(
      "file,seller,jobId,state,outcome,error\r\n",
    );
    expect((await ofFolder(env, folder, "--fields", "file")).stdout).toContain('{"file":"file-00.csv"}\n');
    const dry = await ofFolder(env, folder, "--dry-run", "--protest-docs");
    expect(dry.stdout).toContain("requires_protest_documentation=true");
    expect(await jobsIn(sandbox)).toBe(32);
  });
});
