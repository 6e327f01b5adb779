// The sandbox as an instrument inside a test suite: ready, reset, snapshots, and the cost of the request log and of a fault rule a request.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AIMS } from "./aims.js";
import { statusCall } from "./calls.js";
import { median } from "./figure.js";
import { load } from "./load.js";
import {
  floorProgram,
  LOAD_CORE,
  pinned,
  processorSeconds,
  residentMemory,
  run,
  SERVER_CORE,
  startSandbox,
  stop,
  workFolder,
} from "./processes.js";

/** @typedef {import("./figure.js").Figure} Figure */
/** @typedef {Awaited<ReturnType<typeof startSandbox>>} Sandbox */
/** @typedef {{ first: number, later: number[], resets?: number[] }} Embedded milliseconds */

const FEW_ROWS = 1_000;

/**
 * @param {{ quick: boolean }} options
 * @returns {Promise<Figure[]>}
 */
export async function instruments({ quick }) {
  return [
    ...(await embedded(quick ? 3 : 11)),
    ...(await snapshots(FEW_ROWS, quick ? 3 : 11)),
    ...(await snapshots(quick ? 10_000 : 100_000, quick ? 3 : 7)),
    ...(await pinned(LOAD_CORE, async () => [...(await overhead(quick)), await memory(quick)])),
  ];
}

const program = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Sandboxes in a process, against what one that is written by hand loads at least.
 * @param {number} rounds processes, and further sandboxes in each
 * @returns {Promise<Figure[]>}
 */
async function embedded(rounds) {
  const taken = /** @type {{ floor: Embedded, ours: Embedded }[]} */ ([]);
  for (let round = 0; round <= rounds; round += 1) {
    const floor = await run([floorProgram("bare-embedded.js"), String(rounds)]);
    const ours = await run([program("embedded-sandboxes.js"), String(rounds)]);
    if (round > 0) taken.push({ floor: JSON.parse(floor.stdout), ours: JSON.parse(ours.stdout) });
  }
  const middle = (/** @type {(round: { floor: Embedded, ours: Embedded }) => number[]} */ of) =>
    median(taken.flatMap(of));
  const name = "koa and sql.js, listening";
  return [
    {
      what: "startSandbox(), first in a process, with the import",
      unit: "ms",
      floor: { name, value: middle(({ floor }) => [floor.first]) },
      ours: middle(({ ours }) => [ours.first]),
      aim: AIMS.firstSandbox,
      note: "what the first test of a suite waits for: SQLite is compiled, the routes are made, the start is seeded",
    },
    {
      what: "startSandbox(), second and later",
      unit: "ms",
      floor: { name, value: middle(({ floor }) => floor.later) },
      ours: middle(({ ours }) => ours.later),
      aim: AIMS.nextSandbox,
      note: "another sandbox in the same process, which has everything loaded",
    },
    {
      what: "reset of a seeded sandbox",
      unit: "ms",
      floor: null,
      ours: middle(({ ours }) => ours.resets ?? []),
      aim: AIMS.reset,
      note: "the cost of a `beforeEach`: deletes the state and seeds it again",
    },
  ];
}

/**
 * What becomes of many rows, against the same rows through JSON and sql.js alone.
 * @param {number} rows
 * @param {number} rounds
 * @returns {Promise<Figure[]>}
 */
async function snapshots(rows, rounds) {
  const path = join(workFolder, `${rows}.snapshot`);
  const ours = JSON.parse(
    (await run([program("snapshot-times.js"), String(rows), String(rounds), path])).stdout,
  );
  const floor = JSON.parse((await run([floorProgram("bare-rows.js"), path, String(rounds)])).stdout);
  const middle = (/** @type {Record<string, number>[]} */ taken, /** @type {string} */ of) =>
    median(taken.map((round) => round[of] ?? Number.NaN));
  /** @type {[what: string, ours: string, name: string, floor: string, aim: Figure["aim"], note: string][]} */
  const compared = [
    ["snapshot save", "save", "bare select", "select", null, "every row is copied out of SQLite"],
    ["snapshot export", "write", "JSON.stringify", "stringify", null, "the document, with its SHA-256"],
    ["snapshot import", "read", "JSON.parse", "parse", null, "the document is read and its SHA-256 checked"],
    ["snapshot load", "load", "bare insert", "insert", null, "the rows replace all that there is"],
    [
      "reset",
      "reset",
      "bare delete",
      "remove",
      rows === FEW_ROWS ? AIMS.reset : null,
      "deletes all rows and seeds the start again",
    ],
  ];
  return compared.map(([what, own, name, bare, aim, note]) => ({
    what: `${what}, ${rows.toLocaleString("en")} rows`,
    unit: "ms",
    floor: { name, value: middle(floor, bare) },
    ours: middle(ours, own),
    aim,
    // Once is enough.
    ...(rows === FEW_ROWS && { note }),
  }));
}

/**
 * Requests by the server's processor time, with one instrument more each.
 * @param {boolean} quick
 * @returns {Promise<Figure[]>}
 */
async function overhead(quick) {
  const start = (/** @type {string} */ name, /** @type {string[]} */ ...args) =>
    startSandbox({ core: SERVER_CORE, args: ["--name", name, ...args] });
  const sandboxes = [await start("off", "--request-log-size", "0"), await start("on"), await start("rule")];
  try {
    const [off, on, rule] = sandboxes;
    if (rule) await addIdleRule(rule);
    const measured = await Promise.all(
      sandboxes.map(async (sandbox) => ({
        sandbox,
        call: await statusCall(sandbox),
        rates: /** @type {number[]} */ ([]),
      })),
    );
    for (let round = 0; round <= (quick ? 3 : 7); round += 1) {
      for (const { sandbox, call, rates } of measured) {
        const rate = await perProcessorSecond(sandbox, call, quick ? 5_000 : 20_000);
        if (round > 0) rates.push(rate);
      }
    }
    const rateOf = (/** @type {Sandbox | undefined} */ of) =>
      median(measured.find(({ sandbox }) => sandbox === of)?.rates ?? []);
    return [
      {
        what: "GET status with the request log, by the server's processor time",
        unit: "/s",
        floor: { name: "without it", value: rateOf(off) },
        ours: rateOf(on),
        aim: AIMS.requestLog,
        note: "what it costs to take each request and its answer down",
      },
      {
        what: "GET status with a rule that is about other requests",
        unit: "/s",
        floor: { name: "without it", value: rateOf(on) },
        ours: rateOf(rule),
        aim: AIMS.idleRule,
        note: "one fault rule, which each request is held against; by the server's processor time too",
      },
    ];
  } finally {
    await Promise.all(sandboxes.map(({ child }) => stop(child)));
  }
}

/** @param {Sandbox} sandbox */
async function addIdleRule({ url, controlToken }) {
  const answer = await fetch(`${url}/_sandbox/faults`, {
    method: "POST",
    headers: { authorization: `Bearer ${controlToken}`, "content-type": "application/json" },
    body: JSON.stringify({ match: { operation: "claims.create" }, then: { status: 503 } }),
  });
  if (!answer.ok) throw new Error(`the rule was answered with ${answer.status}`);
}

/**
 * @param {Sandbox} sandbox
 * @param {import("./load.js").Call} call
 * @param {number} count
 */
async function perProcessorSecond({ child, url }, call, count) {
  const before = processorSeconds(child) ?? 0;
  await load(url, call, count);
  return count / ((processorSeconds(child) ?? Number.NaN) - before);
}

/**
 * Memory of dropped log entries must be released. Resident memory goes up and down with every great collection, some forty
 * thousand requests apart, so what counts is the lowest over as many.
 * @param {boolean} quick
 * @returns {Promise<Figure>}
 */
async function memory(quick) {
  const [warm, span] = quick ? [4_000, 8_000] : [20_000, 40_000];
  const sandbox = await startSandbox({ core: SERVER_CORE });
  try {
    const call = await statusCall(sandbox);
    await load(sandbox.url, call, warm);
    const early = await lowestMemory(sandbox, call, span);
    const late = await lowestMemory(sandbox, call, span);
    return {
      what: `memory up to ${(warm + 2 * span).toLocaleString("en")} requests, with the request log`,
      unit: "MiB",
      floor: { name: `up to ${(warm + span).toLocaleString("en")}`, value: early },
      ours: late,
      aim: AIMS.flatMemory,
      note: `the lowest while ${span.toLocaleString("en")} requests were made, and while as many before`,
    };
  } finally {
    await stop(sandbox.child);
  }
}

/**
 * @param {Sandbox} sandbox
 * @param {import("./load.js").Call} call
 * @param {number} count
 */
async function lowestMemory({ child, url }, call, count) {
  const looks = 20;
  const seen = [];
  for (let look = 0; look < looks; look += 1) {
    await load(url, call, count / looks);
    seen.push(residentMemory(child));
  }
  return Math.min(...seen);
}
