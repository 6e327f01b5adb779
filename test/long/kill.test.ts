import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { json, text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { LoggedRequest, Sandbox } from "../../sandbox/index.ts";
import { createRandomNumbers } from "../../src/domain/random-numbers.ts";
import { bareEnvironment, PROGRAM, runCli, runProcess, temporaryFolder } from "../support/cli.ts";
import { environmentOf, type Ready, SELLER, sandboxForTest, spawnSandboxUp } from "../support/sandbox.ts";
import { entriesCsv } from "../support/sandbox-requests.ts";

/**
 * `kill -9` at random moments. What was acknowledged is kept: the write log always, `--state` up to the last save.
 * `CLAIMS_TEST_KILLS` is the number of kills of all tests of this folder, a quarter of them of each kind here;
 * `CLAIMS_TEST_SEED` selects the moments. Submissions and batches are in `submission-histories.test.ts`.
 */
const { CLAIMS_TEST_KILLS = "80", CLAIMS_TEST_SEED = String(Date.now()) } = process.env;
const KILLS = Math.ceil(Number(CLAIMS_TEST_KILLS) / 4);
const TIMEOUT_MS = 60_000 + KILLS * 60_000;

const CLIENTS = 50;
/** Of the program. */
const SAVE_INTERVAL_MS = 2_000;

/** Of a machine that runs 50 clients and other work. */
const TOLERANCE_MS = 2_000;

/** A new file begins after so many kills: loading a large one takes most of the time. */
const KILLS_PER_FILE = 10;

const createRandom = (name: string) => {
  const next = createRandomNumbers(`${CLAIMS_TEST_SEED} ${name}`);
  return (limit: number) => next() % limit;
};

const report = (line: string): void => void process.stderr.write(`${line}\n`);

report(`kill -9: ${KILLS} of each kind, CLAIMS_TEST_SEED=${CLAIMS_TEST_SEED}`);

/** A write that the sandbox acknowledged. */
interface Acknowledged {
  readonly kind: "client" | "job";
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

const authorization = ({ credentials }: Ready) => ({ authorization: `Bearer ${credentials.sandbox.apiKey}` });

/** Writes with 50 connections until the sandbox is gone; every other write is an upload. */
function startWriting(ready: Ready, acknowledged: Acknowledged[]): Promise<unknown> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const post = async (path: string, type: string, body: string): Promise<Record<string, string>> => {
    const headers = { ...authorization(ready), "content-type": type };
    const sent = request(ready.url + path, { method: "POST", agent, headers });
    sent.end(body);
    const [response] = await once(sent, "response");
    if (response.statusCode >= 300)
      throw new Error(`${path}: ${response.statusCode} ${await text(response)}`);
    return (await json(response)) as Record<string, string>;
  };
  const file = entriesCsv();
  const parts = { seller_name: SELLER, requires_protest_documentation: "true" };
  const form = [
    ...Object.entries(parts).map(
      ([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    ),
    `--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n${file}\r\n--x--\r\n`,
  ].join("");
  const write = async (number: number) => {
    for (let count = number; ; count += 1) {
      const isJob = count % 2 === 0;
      const body = await (isJob
        ? post("/v1/diligence/submit", "multipart/form-data; boundary=x", form)
        : post(
            "/v1/clients",
            "application/json",
            JSON.stringify({ name: `Client ${count}`, importerNumber: "98-7654321" }),
          ));
      acknowledged.push({
        kind: isJob ? "job" : "client",
        id: String(body.jobId ?? body.id),
        at: Date.now(),
      });
    }
  };
  // Each ends with the sandbox; any other failure is one of this test.
  return Promise.all(
    Array.from({ length: CLIENTS }, (_, number) =>
      write(number).catch((error: NodeJS.ErrnoException) => {
        if (
          error.code !== "ECONNRESET" &&
          error.code !== "ECONNREFUSED" &&
          error.code !== "EPIPE" &&
          error.code !== "ABORT_ERR"
        )
          throw error;
      }),
    ),
  ).finally(() => agent.destroy());
}

/** Polls how long the saves take, until the sandbox is gone. */
async function watchSaves({ url, controlToken }: Ready, onSave: (durationMs: number) => void): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/_sandbox/state`, {
      headers: { authorization: `Bearer ${controlToken}` },
    }).catch(() => null);
    const state = await response?.json().catch(() => null);
    if (!state) return;
    if (state.saved) onSave(state.saved.durationMs);
    await sleep(50);
  }
}

/** The ids in a state file, and when it was taken. */
function readStateFile(path: string): { readonly takenAt: number; readonly ids: ReadonlySet<string> } {
  const ids = new Set<string>();
  let takenAt = 0;
  let idAt = -1;
  for (const line of readFileSync(path, "utf8").trimEnd().split("\n")) {
    const part = JSON.parse(line);
    if (part.takenAt) takenAt = Date.parse(part.takenAt);
    if (part.table) idAt = /\.(client|job)$/.test(part.table) ? part.columns.indexOf("id") : -1;
    if (part.rows && idAt !== -1) for (const row of part.rows) ids.add(row[idAt]);
  }
  return { takenAt, ids };
}

describe("kill -9 of a sandbox with --state", () => {
  it(`loses at most the interval and one save while ${CLIENTS} clients write`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    const random = createRandom("state");
    const env = bareEnvironment();
    const path = join(temporaryFolder(), "sandbox.state");
    const options = ["--state", path];
    let losses: number[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      if (kill % KILLS_PER_FILE === 0) rmSync(path, { force: true });
      const up = await spawnSandboxUp(env, ...options);
      const acknowledged: Acknowledged[] = [];
      let longestSaveMs = 0;
      const begunAt = Date.now();
      const writing = startWriting(up.ready, acknowledged);
      const watching = watchSaves(up.ready, (durationMs) => {
        longestSaveMs = Math.max(longestSaveMs, durationMs);
      });
      await sleep(random(4 * SAVE_INTERVAL_MS));
      const killedAt = Date.now();
      up.kill();
      await Promise.all([up.completion, writing, watching]);
      const kept = existsSync(path) ? readStateFile(path) : { takenAt: begunAt, ids: new Set<string>() };
      const missing = acknowledged.filter(({ id }) => !kept.ids.has(id));
      // One consistent moment: everything before it, whatever it is.
      const where = `kill ${kill} of seed ${CLAIMS_TEST_SEED}`;
      expect(
        missing.filter(({ at }) => at < kept.takenAt),
        where,
      ).toEqual([]);
      const oldest = Math.min(killedAt, ...missing.map(({ at }) => at));
      losses.push(killedAt - oldest);
      // Before the end of a first save, nothing says how long one takes while all clients write.
      if (longestSaveMs > 0)
        expect(killedAt - oldest, where).toBeLessThan(
          Math.max(SAVE_INTERVAL_MS, 4 * longestSaveMs) + 2 * longestSaveMs + TOLERANCE_MS,
        );
    }
    losses = losses.sort((one, other) => one - other);
    report(
      `state: lost at most the last ${losses.at(-1)} ms, in the median ${losses[Math.floor(losses.length / 2)]} ms`,
    );
    const last = await spawnSandboxUp(env, ...options);
    last.stop("SIGTERM");
    expect((await last.completion).code).toBe(0);
  });
});

/** Chooses moments by how long the commands take on this machine. */
function createKiller(name: string, env: Record<string, string>) {
  const random = createRandom(name);
  const sizeOfLog = () => statSync(writeLogOf(env), { throwIfNoEntry: false })?.size ?? 0;
  let durationMs = 1_000;
  let repeats = 0;
  return {
    /** Kills every other run somewhere in its time, and the others around their requests. */
    async run(args: readonly string[]) {
      const size = sizeOfLog();
      const isAroundRequest = random(2) === 0;
      const part = random(1_000) / 1_000;
      // Its output may end anywhere, so the invariants of a run do not hold.
      const child = spawn(PROGRAM.self[0], [...PROGRAM.self.slice(1), ...args], {
        env,
        stdio: ["ignore", "pipe", "ignore"],
      });
      const completion = Promise.all([text(child.stdout), once(child, "close")]).then(([stdout]) => ({
        stdout,
      }));
      let hasEnded = false;
      completion.finally(() => {
        hasEnded = true;
      });
      while (isAroundRequest && !hasEnded && sizeOfLog() === size) await sleep(1);
      await Promise.race([sleep(part * durationMs * (isAroundRequest ? 0.2 : 1)), completion]);
      child.kill("SIGKILL");
      return completion;
    },

    /** Runs a command to its end; one of ten in a process, to know how long that takes. */
    async repeat(args: readonly string[]) {
      if (repeats++ % 10 !== 0) return runCli(args, { env });
      const startedAt = Date.now();
      const result = await runProcess(args, { env });
      durationMs = Date.now() - startedAt;
      return result;
    },
  };
}

const writeLogOf = (env: Record<string, string>) =>
  join(env.CLAIMS_CONFIG_DIR ?? "", "state", "writes.jsonl");

/** The keys in the write log, which every command reads: the kill may have cut its last line. */
async function readWriteLog(env: Record<string, string>) {
  expect((await runCli(["history", "--all", "--json"], { env })).code).toBe(0);
  const path = writeLogOf(env);
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
  const events = lines.map((line) => JSON.parse(line) as { readonly type: string; readonly key: string });
  const keysOf = (type: string) =>
    new Set(events.filter((event) => event.type === type).map(({ key }) => key));
  return { intended: keysOf("intent"), accepted: keysOf("accepted") };
}

/** The writes that arrived at the sandbox after a request of its log: their keys, and the records that they made. */
async function readArrived(sandbox: Sandbox, since: number) {
  const list = () => sandbox.requests.list({ since, operation: "clients.create" });
  await expect.poll(async () => (await list()).some(({ outcome }) => outcome === "running")).toBe(false);
  const arrived = await list();
  const keyOf = ({ requestHeaders }: LoggedRequest) =>
    requestHeaders.find(([name]) => name.toLowerCase() === "idempotency-key")?.[1] ?? "";
  const created = arrived.filter(({ status }) => status !== null && status < 300);
  const ids = created.map(({ responseBody }) => JSON.parse(responseBody?.text ?? "{}"));
  return { keys: arrived.map(keyOf), ids: [...new Set(ids.map(({ id }) => String(id)))] };
}

// Kills each command, compares the write log with what arrived, and repeats the command: nothing may be there twice.
it("kill -9 of a command that writes create keeps its request in the write log, and a repeat makes no second record", {
  timeout: TIMEOUT_MS,
}, async () => {
  const sandbox = await sandboxForTest({ requestLogSize: 10_000 });
  const env = environmentOf(sandbox);
  const killer = createKiller("create", env);
  const counts = { arrived: 0, repeated: 0 };
  for (let kill = 0; kill < KILLS; kill += 1) {
    const where = `kill ${kill} of CLAIMS_TEST_SEED=${CLAIMS_TEST_SEED}`;
    const client = ["--name", `Client ${kill}`, "--importer-number", "98-7654321"];
    const args = ["clients", "create", ...client, "--json"];
    const since = (await sandbox.requests.list()).at(-1)?.number ?? 0;
    const killed = await killer.run(args);
    const arrived = await readArrived(sandbox, since);
    const log = await readWriteLog(env);
    const unlogged = arrived.keys.filter((key) => !log.intended.has(key));
    expect(unlogged, where).toEqual([]);
    counts.arrived += arrived.keys.length > 0 ? 1 : 0;
    const isAccepted = arrived.keys.some((key) => log.accepted.has(key));
    // What it printed is acknowledged: the log has it, too.
    if (killed.stdout !== "") expect(isAccepted, where).toBe(true);
    // A repeat of a write that was accepted is another write.
    if (isAccepted) continue;
    const repeated = await killer.repeat(args);
    expect(repeated.code, `${where}: ${repeated.stderr}`).toBe(0);
    expect((await readArrived(sandbox, since)).ids, where).toHaveLength(1);
    counts.repeated += 1;
  }
  report(`create: ${counts.arrived} of ${KILLS} killed after the request, ${counts.repeated} repeated`);
});
