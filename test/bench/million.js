// A million rows, through `check` and from submit to report, in both layouts.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { AIMS } from "./aims.js";
import { writeEntryFile } from "./entry-files.js";
import { percentile } from "./figure.js";
import { watchLatency } from "./latency.js";
import {
  claims,
  fixture,
  floorProgram,
  peakMemory,
  run,
  startFloor,
  startSandbox,
  stop,
  workFolder,
} from "./processes.js";

/** @typedef {import("./figure.js").Figure} Figure */

const LAYOUTS = /** @type {const} */ (["entry", "es003"]);

/**
 * @param {{ quick: boolean }} options
 * @returns {Promise<Figure[]>}
 */
export async function measureMillion({ quick }) {
  const rows = quick ? 50_000 : 1_000_000;
  const figures = [];
  for (const layout of LAYOUTS) {
    const path = join(workFolder, `${layout}.csv`);
    await writeEntryFile(path, { scenario: "mixed", rows, layout });
    try {
      figures.push(
        ...(await measureLayout(`${layout} file, ${rows.toLocaleString("en")} rows`, path, {
          // It is the same work in both layouts.
          readsDataset: layout === "entry",
        })),
      );
    } finally {
      await rm(path);
    }
    figures.push(...(await measureRejectedRows(layout, quick ? rows : 100_000)));
  }
  return figures;
}

/**
 * `check` of a file whose every third entry is rejected, with and without `--rejected-csv`.
 * @param {typeof LAYOUTS[number]} layout
 * @param {number} rows
 * @returns {Promise<Figure[]>}
 */
async function measureRejectedRows(layout, rows) {
  const path = join(workFolder, `${layout}-rejected.csv`);
  const rejected = join(workFolder, "rejected.csv");
  await writeEntryFile(path, { scenario: "too-many-rejected", rows, layout });
  const check = ["diligence", "check", path, "--json"];
  const what = `${layout} file, ${rows.toLocaleString("en")} rows, a third rejected: check --rejected-csv`;
  try {
    const plain = await claims(check);
    const withRows = await claims([...check, "--rejected-csv", rejected], { watchMemory: true });
    return [
      {
        what,
        unit: "ms",
        floor: { name: "check", value: plain.ms },
        ours: withRows.ms,
        aim: AIMS.rejectedRows,
      },
      {
        what: `${what}, peak memory`,
        unit: "MiB",
        floor: null,
        ours: withRows.peakMiB,
        aim: AIMS.rejectedRowsMemory,
      },
    ];
  } finally {
    await Promise.all([rm(path), rm(rejected, { force: true })]);
  }
}

/**
 * Runs the floors and our programs in turn. Once: each of them does a million times the same.
 * @param {string} what
 * @param {string} path
 * @param {{ readsDataset: boolean }} options
 * @returns {Promise<Figure[]>}
 */
async function measureLayout(what, path, { readsDataset }) {
  const { ms: parse } = await run([floorProgram("bare-parse.js"), path]);
  const check = await claims(["diligence", "check", path, "--json"], { watchMemory: true });
  const { reads, latencies, ...submit } = await submitToReport(path, readsDataset);
  const insert = JSON.parse((await run([floorProgram("bare-insert.js"), String(submit.entries)])).stdout);
  const floor = {
    name: "bare upload + check + bare insert",
    value: (await measureBareUpload(path)) + check.ms + insert.ms,
  };
  const createMemoryFigure = (/** @type {string} */ whose, /** @type {number} */ ours) =>
    /** @type {Figure} */ ({ what: `${what}: ${whose}`, unit: "MiB", floor: null, ours, aim: null });
  return [
    {
      what: `${what}: check`,
      unit: "ms",
      floor: { name: "bare papaparse", value: parse },
      ours: check.ms,
      aim: AIMS.check,
    },
    createMemoryFigure("check, peak memory", check.peakMiB),
    {
      what: `${what}: submit to report`,
      unit: "ms",
      floor,
      ours: submit.ms,
      aim: AIMS.submitToReport,
      note: `${submit.entries.toLocaleString("en")} entries; the job itself took ${submit.jobMs.toLocaleString("en")} ms; the rest is the upload and the client's polling interval`,
    },
    {
      ...createMemoryFigure("submit, client's peak memory", submit.clientMiB),
      aim: AIMS.uploadClientMemory,
    },
    createMemoryFigure("submit, sandbox's peak memory", submit.sandboxMiB),
    ...(reads ? READS : []).flatMap(({ name, title }) => [
      {
        what: `${what}: ${title}`,
        unit: /** @type {const} */ ("ms"),
        floor: null,
        ours: reads?.[name].ms ?? Number.NaN,
        aim: null,
      },
      {
        ...createMemoryFigure(`${title}, client's peak memory`, reads?.[name].peakMiB ?? Number.NaN),
        aim: AIMS.datasetMemory,
      },
    ]),
    {
      what: `${what}: GET status during the job, p99`,
      unit: "ms",
      floor: null,
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

const READS = /** @type {const} */ ([
  { name: "dataset", title: "dataset --csv" },
  { name: "pull", title: "pull" },
]);

/**
 * Reads the dataset of a job, in memory that does not grow with it.
 * @param {string} id
 * @param {Record<string, string>} env
 */
async function readDataset(id, env) {
  const folder = join(workFolder, "pulled");
  const out = ["--csv", "--out", join(workFolder, "rows.csv")];
  const options = { env, watchMemory: true };
  try {
    return {
      dataset: await claims(["diligence", "dataset", id, ...out], options),
      pull: await claims(["diligence", "pull", id, "-d", folder], options),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Submits the file to a new sandbox, so that its memory is that of one job. After the upload, requests for a finished job
 * measure the latency.
 * @param {string} path
 * @param {boolean} readsDataset
 */
async function submitToReport(path, readsDataset) {
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
    const { ms, peakMiB, stdout } = await claims(submit(path), {
      env: sandbox.env,
      watchMemory: true,
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
    const sandboxMiB = peakMemory(sandbox.child);
    return {
      reads: readsDataset ? await readDataset(id, sandbox.env) : null,
      ms,
      jobMs: Date.parse(job.finishedAt) - Date.parse(job.startedAt),
      clientMiB: peakMiB,
      sandboxMiB,
      entries: /** @type {number} */ (totals.entriesAccepted),
      latencies,
    };
  } finally {
    await stop(sandbox.child);
  }
}
