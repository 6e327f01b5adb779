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
export async function million({ quick }) {
  const rows = quick ? 50_000 : 1_000_000;
  const rounds = quick ? 1 : 3;
  const figures = [];
  for (const layout of LAYOUTS) {
    const path = join(workFolder, `${layout}.csv`);
    await writeEntryFile(path, { scenario: "mixed", rows, layout });
    try {
      figures.push(...(await measure(`${layout} file, ${rows.toLocaleString("en")} rows`, path, rounds)));
    } finally {
      await rm(path);
    }
  }
  return figures;
}

/**
 * Floors and ours in turn, the median of each.
 * @param {string} what
 * @param {string} path
 * @param {number} rounds
 * @returns {Promise<Figure[]>}
 */
async function measure(what, path, rounds) {
  const taken = /** @type {Round[]} */ ([]);
  for (let round = 0; round < rounds; round += 1) {
    const parse = await run([floorProgram("bare-parse.js"), path]);
    const check = await claims(["diligence", "check", path, "--json"], { watchMemory: true });
    const submit = await submitToReport(path);
    const insert = await run([floorProgram("bare-insert.js"), String(submit.entries)]);
    taken.push({ parse: parse.ms, check, submit, insert: JSON.parse(insert.stdout).ms });
  }
  /** @param {(round: Round) => number} of */
  const middle = (of) => median(taken.map(of));
  const parse = middle((round) => round.parse);
  const floor = { name: "bare papaparse + bare insert", value: parse + middle((round) => round.insert) };
  const latencies = taken.flatMap(({ submit }) => submit.latencies);
  const memory = (/** @type {string} */ whose, /** @type {number} */ ours) =>
    /** @type {Figure} */ ({ what: `${what}: ${whose}`, unit: "MiB", floor: null, ours, aim: null });
  return [
    {
      what: `${what}: check`,
      unit: "ms",
      floor: { name: "bare papaparse", value: parse },
      ours: middle(({ check }) => check.ms),
      aim: AIMS.check,
    },
    memory(
      "check, peak memory",
      middle(({ check }) => check.peakMiB),
    ),
    {
      what: `${what}: submit to report`,
      unit: "ms",
      floor,
      ours: middle(({ submit }) => submit.ms),
      aim: AIMS.submitToReport,
      note: `${taken[0]?.submit.entries.toLocaleString("en")} entries; the job itself ran ${middle(({ submit }) => submit.jobMs).toLocaleString("en")} ms, the rest is the upload and the client's pause between two looks`,
    },
    {
      ...memory(
        "submit, client's peak memory",
        middle(({ submit }) => submit.clientMiB),
      ),
      aim: AIMS.uploadClientMemory,
    },
    memory(
      "submit, sandbox's peak memory",
      middle(({ submit }) => submit.sandboxMiB),
    ),
    {
      what: `${what}: GET status meanwhile, p99`,
      unit: "ms",
      floor: null,
      ours: percentile(latencies, 0.99),
      aim: AIMS.othersMeanwhile,
      note: `${latencies.length} requests, slowest ${Math.max(...latencies).toFixed(0)} ms`,
    },
  ];
}

/**
 * In a sandbox of its own, so that its memory is that of one job. Others ask for a finished job from the moment that
 * the upload has been answered.
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
        if (/^job /m.test(text)) watch.begin();
      },
    });
    const latencies = await watch.end();
    const { jobId: id, totals } = JSON.parse(stdout);
    const answer = await fetch(`${sandbox.url}/v1/diligence/status/${id}`, {
      headers: { authorization: sandbox.authorization },
    });
    const job = /** @type {{ startedAt: string, finishedAt: string }} */ (await answer.json());
    if (totals.entriesRejected > 0)
      throw new Error(`${totals.entriesRejected} entries of ${path} were rejected`);
    return {
      ms,
      jobMs: Date.parse(job.finishedAt) - Date.parse(job.startedAt),
      clientMiB: peakMiB,
      sandboxMiB: peakMemory(sandbox.child),
      entries: /** @type {number} */ (totals.entriesAccepted),
      latencies,
    };
  } finally {
    await stop(sandbox.child);
  }
}
