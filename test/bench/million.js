// A million rows, through `check` and from submit to report, in both layouts.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { AIMS } from "./aims.js";
import { writeEntryFile } from "./entry-files.js";
import { median, percentile } from "./figure.js";
import { watchLatency } from "./latency.js";
import {
  claims,
  fixture,
  floorProgram,
  peakMemory,
  run,
  startSandbox,
  stop,
  workFolder,
} from "./processes.js";

/** @typedef {import("./figure.js").Figure} Figure */

/**
 * @typedef {object} Round
 * @property {number} parse milliseconds
 * @property {number} insert milliseconds
 * @property {{ ms: number, peakMiB: number }} check
 * @property {Awaited<ReturnType<typeof submitToReport>>} submit
 */

const LAYOUTS = /** @type {const} */ (["entry", "es003"]);

/**
 * @param {{ quick: boolean }} options
 * @returns {Promise<Figure[]>}
 */
export async function measureMillion({ quick }) {
  const rows = quick ? 50_000 : 1_000_000;
  const rounds = quick ? 1 : 2;
  const figures = [];
  for (const layout of LAYOUTS) {
    const path = join(workFolder, `${layout}.csv`);
    await writeEntryFile(path, { scenario: "mixed", rows, layout });
    try {
      figures.push(
        ...(await measureLayout(`${layout} file, ${rows.toLocaleString("en")} rows`, path, {
          rounds,
          aim: layout === "entry" ? AIMS.submitToReport : AIMS.submitToReportEs003,
          // It is the same work in both layouts.
          readsDataset: layout === "entry",
        })),
      );
    } finally {
      await rm(path);
    }
    figures.push(...(await measureRejectedRows(layout, quick ? rows : 300_000, rounds)));
  }
  return figures;
}

/**
 * `check` of a file whose every third entry is rejected, with and without `--rejected-csv`.
 * @param {typeof LAYOUTS[number]} layout
 * @param {number} rows
 * @param {number} rounds
 * @returns {Promise<Figure[]>}
 */
async function measureRejectedRows(layout, rows, rounds) {
  const path = join(workFolder, `${layout}-rejected.csv`);
  const rejected = join(workFolder, "rejected.csv");
  await writeEntryFile(path, { scenario: "too-many-rejected", rows, layout });
  const check = ["diligence", "check", path, "--json"];
  const samples = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const plain = await claims(check);
      const withRows = await claims([...check, "--rejected-csv", rejected], { watchMemory: true });
      samples.push({ plainMs: plain.ms, ms: withRows.ms, peakMiB: withRows.peakMiB });
    }
  } finally {
    await Promise.all([rm(path), rm(rejected, { force: true })]);
  }
  const what = `${layout} file, ${rows.toLocaleString("en")} rows, a third rejected: check --rejected-csv`;
  return [
    {
      what,
      unit: "ms",
      floor: { name: "check", value: median(samples.map(({ plainMs }) => plainMs)) },
      ours: median(samples.map(({ ms }) => ms)),
      aim: AIMS.rejectedRows,
    },
    {
      what: `${what}, peak memory`,
      unit: "MiB",
      floor: null,
      ours: median(samples.map(({ peakMiB }) => peakMiB)),
      aim: AIMS.rejectedRowsMemory,
    },
  ];
}

/**
 * Runs the floors and our programs in turn, and returns the median of each.
 * @param {string} what
 * @param {string} path
 * @param {{ rounds: number, aim: import("./figure.js").Aim, readsDataset: boolean }} options `aim` of submit to report
 * @returns {Promise<Figure[]>}
 */
async function measureLayout(what, path, { rounds, aim, readsDataset }) {
  const samples = /** @type {Round[]} */ ([]);
  const reads = /** @type {Awaited<ReturnType<typeof readDataset>>[]} */ ([]);
  for (let round = 0; round < rounds; round += 1) {
    const parse = await run([floorProgram("bare-parse.js"), path]);
    const check = await claims(["diligence", "check", path, "--json"], { watchMemory: true });
    const submit = await submitToReport(path, async (id, env) => {
      // Once, because reading takes longer than the rest of a round, and its memory hardly varies.
      if (round === 0 && readsDataset) reads.push(await readDataset(id, env));
    });
    const insert = await run([floorProgram("bare-insert.js"), String(submit.entries)]);
    samples.push({ parse: parse.ms, check, submit, insert: JSON.parse(insert.stdout).ms });
  }
  /** @param {(round: Round) => number} of */
  const medianOf = (of) => median(samples.map(of));
  const parse = medianOf((round) => round.parse);
  const floor = { name: "bare papaparse + bare insert", value: parse + medianOf((round) => round.insert) };
  const latencies = samples.flatMap(({ submit }) => submit.latencies);
  const createMemoryFigure = (/** @type {string} */ whose, /** @type {number} */ ours) =>
    /** @type {Figure} */ ({ what: `${what}: ${whose}`, unit: "MiB", floor: null, ours, aim: null });
  return [
    {
      what: `${what}: check`,
      unit: "ms",
      floor: { name: "bare papaparse", value: parse },
      ours: medianOf(({ check }) => check.ms),
      aim: AIMS.check,
    },
    createMemoryFigure(
      "check, peak memory",
      medianOf(({ check }) => check.peakMiB),
    ),
    {
      what: `${what}: submit to report`,
      unit: "ms",
      floor,
      ours: medianOf(({ submit }) => submit.ms),
      aim,
      note: `${samples[0]?.submit.entries.toLocaleString("en")} entries; the job itself took ${medianOf(({ submit }) => submit.jobMs).toLocaleString("en")} ms; the rest is the upload and the client's polling interval`,
    },
    {
      ...createMemoryFigure(
        "submit, client's peak memory",
        medianOf(({ submit }) => submit.clientMiB),
      ),
      aim: AIMS.uploadClientMemory,
    },
    createMemoryFigure(
      "submit, sandbox's peak memory",
      medianOf(({ submit }) => submit.sandboxMiB),
    ),
    ...(readsDataset ? READS : []).flatMap(({ name, title }) => [
      {
        what: `${what}: ${title}`,
        unit: /** @type {const} */ ("ms"),
        floor: null,
        ours: median(reads.map((read) => read[name].ms)),
        aim: null,
      },
      {
        ...createMemoryFigure(
          `${title}, client's peak memory`,
          median(reads.map((read) => read[name].peakMiB)),
        ),
        aim: name === "sort" ? AIMS.sortMemory : AIMS.datasetMemory,
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

const READS = /** @type {const} */ ([
  { name: "route", title: "dataset --route cape --csv" },
  { name: "sort", title: "dataset --sort ieepaDutyCents --limit 100000 --csv" },
  { name: "pull", title: "pull --format csv" },
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
  const dataset = ["diligence", "dataset", id, ...out];
  try {
    return {
      route: await claims([...dataset, "--route", "cape"], options),
      sort: await claims([...dataset, "--sort", "ieepaDutyCents", "--limit", "100000"], options),
      pull: await claims(["diligence", "pull", id, "-d", folder, "--format", "csv"], options),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Submits the file to a new sandbox, so that its memory is that of one job. After the upload, requests for a finished job
 * measure the latency.
 * @param {string} path
 * @param {(id: string, env: Record<string, string>) => Promise<void>} read the dataset
 */
async function submitToReport(path, read) {
  const sandbox = await startSandbox();
  const submit = (/** @type {string} */ file) => [
    "diligence",
    "submit",
    file,
    "--seller-name",
    "Bench",
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
    await read(id, sandbox.env);
    return {
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
