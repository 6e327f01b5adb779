// The sandbox in a test suite: start, reset, snapshots, and the cost per request of the request log and of a fault rule.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AIMS } from "./aims.js";
import { createStatusCall } from "./calls.js";
import { median, summarize } from "./figure.js";
import { measureRate } from "./load.js";
import {
  floorProgram,
  LOAD_CORE,
  run,
  runOnCore,
  SERVER_CORE,
  startSandbox,
  stop,
  workFolder,
} from "./processes.js";

/** @typedef {import("./figure.js").Figure} Figure */
/** @typedef {Awaited<ReturnType<typeof startSandbox>>} Sandbox */
/** @typedef {{ first: number, later: number[], resets?: number[], setupResets?: number[] }} Embedded milliseconds */

const FEW_ROWS = 1_000;

/**
 * @param {{ quick: boolean }} options
 * @returns {Promise<Figure[]>}
 */
export async function measureInstruments({ quick }) {
  return [
    ...(await measureEmbedded(2)),
    ...(await measureSnapshots(FEW_ROWS, quick ? 3 : 7)),
    ...(await measureSnapshots(quick ? 10_000 : 100_000, 2)),
    ...(await runOnCore(LOAD_CORE, () => measureOverhead(quick))),
  ];
}

const resolveProgram = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Sandboxes in one process; the floor loads koa and sql.js only.
 * @param {number} rounds processes, and further sandboxes in each
 * @returns {Promise<Figure[]>}
 */
async function measureEmbedded(rounds) {
  const samples = /** @type {{ floor: Embedded, ours: Embedded }[]} */ ([]);
  for (let round = 0; round <= rounds; round += 1) {
    const floor = await run([floorProgram("bare-embedded.js"), String(rounds)]);
    const ours = await run([resolveProgram("embedded-sandboxes.js"), String(rounds)]);
    if (round > 0) samples.push({ floor: JSON.parse(floor.stdout), ours: JSON.parse(ours.stdout) });
  }
  const medianOf = (/** @type {(round: { floor: Embedded, ours: Embedded }) => number[]} */ of) =>
    median(samples.flatMap(of));
  const name = "koa and sql.js, listening";
  return [
    {
      what: "startSandbox(), first in a process, with the import",
      unit: "ms",
      floor: { name, value: medianOf(({ floor }) => [floor.first]) },
      ...summarize(samples.map(({ ours }) => ours.first)),
      aim: AIMS.firstSandbox,
      note: "the delay of the first test of a suite: compiles SQLite, builds the routes and seeds the state",
    },
    {
      what: "startSandbox(), second and later",
      unit: "ms",
      floor: { name, value: medianOf(({ floor }) => floor.later) },
      ...summarize(samples.flatMap(({ ours }) => ours.later)),
      aim: AIMS.nextSandbox,
      note: "another sandbox in the same process, where all modules are loaded",
    },
    {
      what: "reset of a seeded sandbox",
      unit: "ms",
      floor: null,
      ...summarize(samples.flatMap(({ ours }) => ours.resets ?? [])),
      aim: AIMS.reset,
      note: "the cost of a `beforeEach`: deletes the state and seeds it again",
    },
    {
      what: "reset to a setup of ten clients and a delivery",
      unit: "ms",
      floor: null,
      ...summarize(samples.flatMap(({ ours }) => ours.setupResets ?? [])),
      aim: AIMS.reset,
      note: "the same with `startSandbox({ setup })`: restores the snapshot that was taken after it",
    },
  ];
}

/**
 * Snapshots of many rows; the floor passes the same rows through JSON and sql.js only.
 * @param {number} rows
 * @param {number} rounds
 * @returns {Promise<Figure[]>}
 */
async function measureSnapshots(rows, rounds) {
  const path = join(workFolder, `${rows}.snapshot`);
  const ours = JSON.parse(
    (await run([resolveProgram("snapshot-times.js"), String(rows), String(rounds), path])).stdout,
  );
  const floor = JSON.parse((await run([floorProgram("bare-rows.js"), path, String(rounds)])).stdout);
  const roundsOf = (/** @type {Record<string, number>[]} */ samples, /** @type {string} */ of) =>
    samples.map((round) => round[of] ?? Number.NaN);
  /** @type {[what: string, ours: string, name: string, floor: string, aim: Figure["aim"], note: string][]} */
  const comparisons = [
    ["snapshot save", "save", "bare select", "select", null, "copies every row out of SQLite"],
    ["snapshot export", "write", "JSON.stringify", "stringify", null, "writes the document with its SHA-256"],
    ["snapshot import", "read", "JSON.parse", "parse", null, "reads the document and checks its SHA-256"],
    ["snapshot load", "load", "bare insert", "insert", null, "replaces all rows"],
    [
      "reset",
      "reset",
      "bare delete",
      "remove",
      rows === FEW_ROWS ? AIMS.reset : null,
      "deletes all rows and seeds the initial state",
    ],
  ];
  return comparisons.map(([what, own, name, bare, aim, note]) => ({
    what: `${what}, ${rows.toLocaleString("en")} rows`,
    unit: "ms",
    floor: { name, value: median(roundsOf(floor, bare)) },
    ...summarize(roundsOf(ours, own)),
    aim,
    // The notes are the same for both numbers of rows.
    ...(rows === FEW_ROWS && { note }),
  }));
}

/**
 * Requests per second of the server's processor time: without the request log, with it, and with a fault rule too.
 * @param {boolean} quick
 * @returns {Promise<Figure[]>}
 */
async function measureOverhead(quick) {
  const start = (/** @type {string} */ name, /** @type {string[]} */ ...args) =>
    startSandbox({ core: SERVER_CORE, args: ["--sandbox-name", name, ...args] });
  const sandboxes = [await start("off", "--request-log-size", "0"), await start("on"), await start("rule")];
  try {
    const [off, on, rule] = sandboxes;
    if (rule) await addIdleRule(rule);
    const measurements = await Promise.all(
      sandboxes.map(async (sandbox) => ({
        sandbox,
        call: await createStatusCall(sandbox),
        rates: /** @type {number[]} */ ([]),
      })),
    );
    for (let round = 0; round <= (quick ? 2 : 3); round += 1) {
      for (const { sandbox, call, rates } of measurements) {
        const rate = await measureRate(sandbox, call, quick ? 3_000 : 8_000);
        if (round > 0) rates.push(rate);
      }
    }
    const ratesOf = (/** @type {Sandbox | undefined} */ of) =>
      measurements.find(({ sandbox }) => sandbox === of)?.rates ?? [];
    return [
      {
        what: "GET status with the request log, by the server's processor time",
        unit: "/s",
        floor: { name: "without it", value: median(ratesOf(off)) },
        ...summarize(ratesOf(on)),
        aim: AIMS.requestLog,
        note: "the cost of recording each request and its response",
      },
      {
        what: "GET status with a fault rule for other requests",
        unit: "/s",
        floor: { name: "without it", value: median(ratesOf(on)) },
        ...summarize(ratesOf(rule)),
        aim: AIMS.idleRule,
        note: "one fault rule that is matched against each request; also by the server's processor time",
      },
    ];
  } finally {
    await Promise.all(sandboxes.map(({ child }) => stop(child)));
  }
}

/** @param {Sandbox} sandbox */
async function addIdleRule({ url, controlToken }) {
  const response = await fetch(`${url}/_sandbox/faults`, {
    method: "POST",
    headers: { authorization: `Bearer ${controlToken}`, "content-type": "application/json" },
    body: JSON.stringify({ match: { operation: "claims.create" }, then: { status: 503 } }),
  });
  if (!response.ok) throw new Error(`expected the rule to be added, got ${response.status}`);
}
