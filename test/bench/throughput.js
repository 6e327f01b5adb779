// Requests per second, and the upload of a large file. Server and load generator run on different cores.
import { once } from "node:events";
import { Agent, get } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { createStatusCall, createSubmitCall, submitFile, writeEntryFile } from "./calls.js";
import { measureInTurn, median, summarize } from "./figure.js";
import { measureRate } from "./load.js";
import {
  floorProgram,
  LOAD_CORE,
  peakMemory,
  residentMemory,
  run,
  runOnCore,
  SERVER_CORE,
  startFloor,
  startSandbox,
  stop,
  workFolder,
} from "./processes.js";

/** @typedef {import("./figure.js").Figure} Figure */

/** The average bytes of a row in layout entry. */
const ROW_BYTES = 236;

/** @type {import("./figure.js").Suite} */
export async function measureThroughput() {
  const requests = await runOnCore(LOAD_CORE, measureRequestRates);
  return [...requests, await measureIdleConnections(), ...(await measureUploads())];
}

const IDLE_CONNECTIONS = 1_000;

/**
 * The memory of connections that have had one response each.
 * @returns {Promise<Figure>}
 */
async function measureIdleConnections() {
  const sandbox = await startSandbox();
  const agent = new Agent({ keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS });
  const open = () =>
    new Promise((resolve, reject) => {
      const request = get(`${sandbox.url}/_sandbox/ready`, { agent }, (response) => {
        response.resume().once("end", resolve);
      });
      request.once("error", reject);
    });
  try {
    await open();
    const before = residentMemory(sandbox.child);
    await Promise.all(Array.from({ length: IDLE_CONNECTIONS }, open));
    return {
      what: `memory of ${IDLE_CONNECTIONS.toLocaleString("en")} idle connections`,
      unit: "MiB",
      ours: residentMemory(sandbox.child) - before,
      aim: { mostValue: 30 },
    };
  } finally {
    agent.destroy();
    await stop(sandbox.child);
  }
}

async function measureRequestRates() {
  const plainSubmit = await startFloor("plain-submit.js", { core: SERVER_CORE });
  const sandbox = await startSandbox({ core: SERVER_CORE });
  const children = [plainSubmit.child, sandbox.child];
  try {
    const status = await createStatusCall(sandbox);
    const job = await (await fetch(sandbox.url + status.path, { headers: status.headers })).text();
    const args = [sandbox.authorization, JSON.parse(job).jobId, job];
    const plain = await startFloor("plain-stack.js", { core: SERVER_CORE, args });
    children.push(plain.child);
    const submit = createSubmitCall(sandbox);
    const count = 15_000;
    const waitUntilIdle = () => waitForJobs(sandbox);
    const gets = await measureInTurn(
      {
        floor: () => measureRate({ server: plain, call: status, count }),
        ours: () => measureRate({ server: sandbox, call: status, count }),
      },
      3,
    );
    const submissions = await measureInTurn(
      {
        floor: () => measureRate({ server: plainSubmit, call: submit, count: 600 }),
        ours: () => measureRate({ server: sandbox, call: submit, count: 300, waitUntilIdle }),
      },
      3,
    );
    return [
      {
        what: "GET status, by the server's processor time, beside the usual packages",
        unit: /** @type {const} */ ("/s"),
        floor: { name: "koa, @koa/router, koa-body and sql.js", value: median(gets.floor) },
        ...summarize(gets.ours),
        aim: { least: 0.6 },
        note: "the floor checks a key and returns the same object; it has no request log, faults or validation",
      },
      {
        what: "POST submit, 200 rows, with its job, by the server's processor time",
        unit: /** @type {const} */ ("µs"),
        floor: { name: "koa, busboy, papaparse and sql.js", value: 1e6 / median(submissions.floor) },
        ...summarize(submissions.ours.map((rate) => 1e6 / rate)),
        aim: { most: 3 },
        note: "the floor parses and stores the rows; it has no credentials, no rules and no report",
      },
    ];
  } finally {
    await Promise.all(children.map(stop));
  }
}

/**
 * Waits for the submitted jobs, which belong to the work of their requests.
 * @param {{ url: string, controlToken: string }} sandbox
 */
async function waitForJobs({ url, controlToken }) {
  for (;;) {
    const response = await fetch(`${url}/_sandbox/state`, {
      headers: { authorization: `Bearer ${controlToken}` },
    });
    const { jobs } = /** @type {{ jobs: Record<string, number> }} */ (await response.json());
    if (!jobs.queued && !jobs.processing) return;
    await sleep(20);
  }
}

/**
 * Both clients send the same file to a server that discards the body and measures its duration, which excludes the start of
 * the client. The sandbox then receives the file too, for its memory.
 * @returns {Promise<Figure[]>}
 */
async function measureUploads() {
  const megabytes = 100;
  const path = join(workFolder, "upload.csv");
  // The first row is invalid, so the sandbox receives and reads the whole file, but stores nothing.
  const rows = Math.ceil((megabytes * 1_000_000) / ROW_BYTES);
  await writeEntryFile(path, { scenario: "row-width", rows, layout: "entry" });
  const [clients, serverMiB] = [await measureClients(path, 3), await measureSandboxMemory(path)];
  const what = `upload of ${megabytes} MB`;
  return [
    {
      what: `${what}, client`,
      unit: "MB/s",
      floor: { name: "node:http client", value: clients.bare },
      ours: clients.ours,
      aim: { least: 0.85 },
    },
    { what: `${what}, client's peak memory`, unit: "MiB", ours: clients.peakMiB, aim: { mostValue: 140 } },
    { what: `${what}, sandbox's peak memory`, unit: "MiB", ours: serverMiB, aim: { mostValue: 130 } },
  ];
}

/** @param {string} path @param {number} rounds */
async function measureClients(path, rounds) {
  const { child, url } = await startFloor("bare-http.js");
  const lines = createInterface({ input: /** @type {import("node:stream").Readable} */ (child.stdout) });
  let peakMiB = 0;
  /** @param {() => Promise<unknown>} send */
  const measureUpload = async (send) => {
    const report = once(lines, "line");
    await send();
    const { bytes, ms } = JSON.parse((await report)[0]);
    return bytes / 1000 / ms;
  };
  const sendBare = () => run([floorProgram("bare-upload.js"), url, path]);
  const env = { CLAIMS_BASE_URL: url, CLAIMS_API_KEY: "sk_bench" };
  const sendOurs = async () => {
    const result = await submitFile(path, ["--on-duplicate", "submit"], { env, watchMemory: true });
    peakMiB = Math.max(peakMiB, result.peakMiB);
  };
  const clients = { bare: () => measureUpload(sendBare), ours: () => measureUpload(sendOurs) };
  try {
    const { bare, ours } = await measureInTurn(clients, rounds);
    return { bare: median(bare), ours: median(ours), peakMiB };
  } finally {
    await stop(child);
  }
}

/**
 * The peak memory of a sandbox that receives the file, whose first row is invalid, so that no row is stored.
 * @param {string} path
 */
async function measureSandboxMemory(path) {
  const sandbox = await startSandbox();
  try {
    await submitFile(path, [], { env: sandbox.env });
    return peakMemory(sandbox.child);
  } finally {
    await stop(sandbox.child);
  }
}
