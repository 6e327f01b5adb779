// A million rows, through `check` and from submit to report, in both layouts.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Pool } from "undici";
import { submitFile, writeEntryFile } from "./calls.js";
import { percentile } from "./figure.js";
import {
  claims,
  fixture,
  floorProgram,
  run,
  startFloor,
  startSandbox,
  stop,
  workFolder,
} from "./processes.js";

/** @typedef {import("./figure.js").Figure} Figure */

const ROWS = 1_000_000;
/** How often other requests are sent during the job, and over how many connections. */
const INTERVAL_MS = 10;
const CONNECTIONS = 8;

/** Of `check` against papaparse. */
const AIMS_OF_CHECK = { entry: { most: 2.1 }, es003: { most: 2.3 } };

const LAYOUTS = /** @type {const} */ (["entry", "es003"]);

/** @type {import("./figure.js").Suite} */
export async function measureMillion() {
  const figures = [];
  for (const layout of LAYOUTS) {
    const path = join(workFolder, `${layout}.csv`);
    await writeEntryFile(path, { scenario: "mixed", rows: ROWS, layout });
    try {
      figures.push(...(await measureLayout(layout, path)));
    } finally {
      await rm(path);
    }
  }
  return figures;
}

/**
 * Runs the floors and our programs in turn. Once: each of them does a million times the same.
 * @param {typeof LAYOUTS[number]} layout
 * @param {string} path
 * @returns {Promise<Figure[]>}
 */
async function measureLayout(layout, path) {
  const what = `${layout} file, ${ROWS.toLocaleString("en")} rows`;
  const { ms: parse } = await run([floorProgram("bare-parse.js"), path]);
  const check = await claims(["diligence", "check", path, "--json"]);
  const { latencies, ...submit } = await submitToReport(path);
  const insert = JSON.parse((await run([floorProgram("bare-insert.js"), String(submit.entries)])).stdout);
  const floor = {
    name: "bare upload + check + bare insert",
    value: (await measureBareUpload(path)) + check.ms + insert.ms,
  };
  return [
    {
      what: `${what}: check`,
      unit: "ms",
      floor: { name: "bare papaparse", value: parse },
      ours: check.ms,
      aim: AIMS_OF_CHECK[layout],
    },
    {
      what: `${what}: submit to report`,
      unit: "ms",
      floor,
      ours: submit.ms,
      aim: { most: 1.5 },
      note: `${submit.entries.toLocaleString("en")} entries, with the upload and the pauses between polls`,
    },
    {
      what: `${what}: GET status during the job, p99`,
      unit: "ms",
      ours: percentile(latencies, 0.99),
      aim: { mostValue: 30 },
      note: `${latencies.length} requests, slowest ${Math.max(...latencies).toFixed(0)} ms`,
    },
  ];
}

/**
 * Milliseconds of a client on node:http that sends the file to a server that discards it.
 * @param {string} path
 */
async function measureBareUpload(path) {
  const server = await startFloor("bare-http.js");
  try {
    return (await run([floorProgram("bare-upload.js"), server.url, path])).ms;
  } finally {
    await stop(server.child);
  }
}

/**
 * Submits the file to a new sandbox. After the upload, requests for a finished job measure the latency.
 * @param {string} path
 */
async function submitToReport(path) {
  const sandbox = await startSandbox();
  // The floor has one check of the file, which is that of the job.
  const args = ["--wait", "--json"];
  try {
    const small = await submitFile(fixture("sample_entries.csv"), args, { env: sandbox.env });
    const { jobId } = JSON.parse(small.stdout);
    const watch = watchLatency(`${sandbox.url}/v1/diligence/status/${jobId}`, sandbox.authorization);
    const { ms, stdout } = await submitFile(path, args, {
      env: sandbox.env,
      onStderr: (text) => {
        if (text.includes('"jobId"')) watch.begin();
      },
    });
    const latencies = await watch.end();
    const { totals } = JSON.parse(stdout);
    if (totals.entriesRejected > 0)
      throw new Error(`${totals.entriesRejected} entries of ${path} were rejected`);
    return { ms, entries: /** @type {number} */ (totals.entriesAccepted), latencies };
  } finally {
    await stop(sandbox.child);
  }
}

/**
 * Sends a request every ten milliseconds from `begin` to `end`, without waiting for the previous response, because waiting
 * would hide slow responses.
 * @param {string} url
 * @param {string} authorization
 */
function watchLatency(url, authorization) {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: CONNECTIONS, pipelining: 1 });
  const pending = /** @type {Set<Promise<void>>} */ (new Set());
  const latencies = /** @type {number[]} */ ([]);
  let timer = /** @type {NodeJS.Timeout | undefined} */ (undefined);

  async function sendRequest() {
    const start = performance.now();
    const { statusCode, body } = await pool.request({
      method: "GET",
      path: pathname,
      headers: { authorization },
    });
    await body.dump();
    if (statusCode !== 200) throw new Error(`${url} responded ${statusCode}`);
    latencies.push(performance.now() - start);
  }

  return {
    begin() {
      timer ??= setInterval(() => {
        const request = sendRequest().finally(() => pending.delete(request));
        pending.add(request);
      }, INTERVAL_MS);
    },
    /** Milliseconds of each request. */
    async end() {
      clearInterval(timer);
      await Promise.all(pending);
      await pool.close();
      return latencies;
    },
  };
}
