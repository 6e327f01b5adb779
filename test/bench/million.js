// A million rows, through `check` and from submit to report, in both layouts.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { AIMS, AIMS_OF_CHECK } from "./aims.js";
import { writeEntryFile } from "./entry-files.js";
import { percentile } from "./figure.js";
import { watchLatency } from "./latency.js";
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

const LAYOUTS = /** @type {const} */ (["entry", "es003"]);

/** @type {import("./figure.js").Suite} */
export async function measureMillion({ quick }) {
  const rows = quick ? 50_000 : 1_000_000;
  const figures = [];
  for (const layout of LAYOUTS) {
    const path = join(workFolder, `${layout}.csv`);
    await writeEntryFile(path, { scenario: "mixed", rows, layout });
    try {
      figures.push(...(await measureLayout(layout, rows, path)));
    } finally {
      await rm(path);
    }
  }
  return figures;
}

/**
 * Runs the floors and our programs in turn. Once: each of them does a million times the same.
 * @param {typeof LAYOUTS[number]} layout
 * @param {number} rows
 * @param {string} path
 * @returns {Promise<Figure[]>}
 */
async function measureLayout(layout, rows, path) {
  const what = `${layout} file, ${rows.toLocaleString("en")} rows`;
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
      aim: AIMS.submitToReport,
      note: `${submit.entries.toLocaleString("en")} entries; the job itself took ${submit.jobMs.toLocaleString("en")} ms; the rest is the upload and the client's polling interval`,
    },
    {
      what: `${what}: GET status during the job, p99`,
      unit: "ms",
      ours: percentile(latencies, 0.99),
      aim: AIMS.othersMeanwhile,
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
  const submit = (/** @type {string} */ file) => [
    "diligence",
    "submit",
    file,
    "--seller-name",
    "Bench",
    // The floor has one check of the file, which is that of the job.
    "--check",
    "off",
    "--wait",
    "--json",
  ];
  try {
    const small = await claims(submit(fixture("sample_entries.csv")), { env: sandbox.env });
    const { jobId } = JSON.parse(small.stdout);
    const watch = watchLatency(`${sandbox.url}/v1/diligence/status/${jobId}`, sandbox.authorization);
    const { ms, stdout } = await claims(submit(path), {
      env: sandbox.env,
      onStderr: (text) => {
        if (text.includes('"jobId"')) watch.begin();
      },
    });
    const latencies = await watch.end();
    const { jobId: id, totals } = JSON.parse(stdout);
    const response = await fetch(`${sandbox.url}/v1/diligence/status/${id}`, {
      headers: { authorization: sandbox.authorization },
    });
    const job = /** @type {{ startedAt: string, finishedAt: string }} */ (await response.json());
    if (totals.entriesRejected > 0)
      throw new Error(`${totals.entriesRejected} entries of ${path} were rejected`);
    return {
      ms,
      jobMs: Date.parse(job.finishedAt) - Date.parse(job.startedAt),
      entries: /** @type {number} */ (totals.entriesAccepted),
      latencies,
    };
  } finally {
    await stop(sandbox.child);
  }
}
