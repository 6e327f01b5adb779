// Requests a second, and the upload of a big file. The server has one core to itself, the load the other.
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { AIMS } from "./aims.js";
import { statusCall, submitCall } from "./calls.js";
import { writeEntryFile } from "./entry-files.js";
import { median } from "./figure.js";
import { load } from "./load.js";
import {
  claims,
  floorProgram,
  LOAD_CORE,
  peakMemory,
  pinned,
  processorSeconds,
  run,
  SERVER_CORE,
  startFloor,
  startSandbox,
  stop,
  workFolder,
} from "./processes.js";

/** @typedef {import("./figure.js").Figure} Figure */
/** @typedef {import("./load.js").Call} Call */
/** @typedef {{ child: import("node:child_process").ChildProcess, url: string }} Server */

/** A row of layout entry, on average. */
const ROW_BYTES = 236;

/**
 * @param {{ quick: boolean }} options
 * @returns {Promise<Figure[]>}
 */
export async function throughput({ quick }) {
  const requests = await pinned(LOAD_CORE, () => requestRates(quick));
  return [...requests, ...(await uploads(quick))];
}

/** @param {boolean} quick */
async function requestRates(quick) {
  const bare = await startFloor("bare-http.js", { core: SERVER_CORE });
  const sandbox = await startSandbox({ core: SERVER_CORE });
  try {
    const status = await statusCall(sandbox);
    const submit = submitCall(sandbox);
    const rounds = quick ? 3 : 7;
    return [
      ...(await compare("GET status", AIMS.getOne, {
        bare,
        sandbox,
        call: status,
        rounds,
        bareCount: quick ? 10_000 : 60_000,
        count: quick ? 5_000 : 20_000,
      })),
      ...(await compare("POST submit, 200 rows", null, {
        bare,
        sandbox,
        call: submit,
        rounds,
        bareCount: quick ? 2_000 : 10_000,
        count: quick ? 100 : 400,
      })),
    ];
  } finally {
    await Promise.all([stop(bare.child), stop(sandbox.child)]);
  }
}

/**
 * Rounds in turn, the first of each only warms up.
 * @param {string} what
 * @param {Figure["aim"]} aim
 * @param {{ bare: Server, sandbox: Server & { controlToken: string }, call: Call, rounds: number, bareCount: number, count: number }} setting
 * @returns {Promise<Figure[]>}
 */
async function compare(what, aim, { bare, sandbox, call, rounds, bareCount, count }) {
  const taken = { bare: /** @type {Rate[]} */ ([]), ours: /** @type {Rate[]} */ ([]) };
  for (let round = 0; round <= rounds; round += 1) {
    const floor = await rate(bare, call, bareCount);
    const ours = await rate(sandbox, call, count);
    await settled(sandbox);
    if (round === 0) continue;
    taken.bare.push(floor);
    taken.ours.push(ours);
  }
  /** @param {(rate: Rate) => number} of */
  const figure = (of) => ({
    floor: { name: "bare node:http", value: median(taken.bare.map(of)) },
    ours: median(taken.ours.map(of)),
    unit: /** @type {const} */ ("/s"),
    aim,
  });
  const busy = (/** @type {Rate[]} */ rates) => `${Math.round(median(rates.map((one) => one.busy)) * 100)} %`;
  return [
    {
      ...figure(({ perSecond }) => perSecond),
      what,
      note: `server busy ${busy(taken.bare)} (floor), ${busy(taken.ours)} (ours)`,
    },
    {
      ...figure(({ perSecond, busy }) => perSecond / busy),
      what: `${what}, by the server's processor time`,
      note: "the fairer ratio wherever the floor's server was less busy than ours: there the load was the limit",
    },
  ];
}

/**
 * Waits for the jobs that were submitted: they would slow the floor's next round down.
 * @param {{ url: string, controlToken: string }} sandbox
 */
async function settled({ url, controlToken }) {
  for (;;) {
    const answer = await fetch(`${url}/_sandbox/state`, {
      headers: { authorization: `Bearer ${controlToken}` },
    });
    const { jobs } = /** @type {{ jobs: Record<string, number> }} */ (await answer.json());
    if (!jobs.queued && !jobs.processing) return;
    await sleep(20);
  }
}

/**
 * The server's load shows whether the server or the load generator was the limit.
 * @typedef {{ perSecond: number, busy: number }} Rate
 */

/**
 * @param {Server} server
 * @param {Call} call
 * @param {number} count
 * @returns {Promise<Rate>}
 */
async function rate({ child, url }, call, count) {
  const before = processorSeconds(child) ?? 0;
  const perSecond = await load(url, call, count);
  const used = (processorSeconds(child) ?? 0) - before;
  return { perSecond, busy: (used * perSecond) / count };
}

/**
 * Both clients send the same file to a server that discards it and measures how long the body took, so that neither
 * pays for its start. The sandbox then receives it too, for its memory.
 * @param {boolean} quick
 * @returns {Promise<Figure[]>}
 */
async function uploads(quick) {
  const megabytes = quick ? 20 : 100;
  const path = join(workFolder, "upload.csv");
  // It is refused at its first row: received and looked through as a whole, but nothing of it is kept.
  const rows = Math.ceil((megabytes * 1_000_000) / ROW_BYTES);
  await writeEntryFile(path, { scenario: "row-width", rows, layout: "entry" });
  const [clients, serverMiB] = [await clientRates(path, quick ? 3 : 7), await receivingMemory(path)];
  const what = `upload of ${megabytes} MB`;
  return [
    {
      what: `${what}, client`,
      unit: "MB/s",
      floor: { name: "node:http client", value: clients.bare },
      ours: clients.ours,
      aim: AIMS.upload,
    },
    {
      what: `${what}, client's peak memory`,
      unit: "MiB",
      floor: null,
      ours: clients.peakMiB,
      aim: AIMS.uploadClientMemory,
    },
    {
      what: `${what}, sandbox's peak memory`,
      unit: "MiB",
      floor: null,
      ours: serverMiB,
      aim: AIMS.uploadServerMemory,
    },
  ];
}

/**
 * @param {string} path
 * @param {number} rounds
 */
async function clientRates(path, rounds) {
  const { child, url } = await startFloor("bare-http.js");
  const lines = createInterface({ input: /** @type {import("node:stream").Readable} */ (child.stdout) });
  const taken = { bare: /** @type {number[]} */ ([]), ours: /** @type {number[]} */ ([]) };
  let peakMiB = 0;
  /** @param {() => Promise<unknown>} send */
  const received = async (send) => {
    const reply = once(lines, "line");
    await send();
    const { bytes, ms } = JSON.parse((await reply)[0]);
    return bytes / 1000 / ms;
  };
  const env = { CLAIMS_BASE_URL: url, CLAIMS_API_KEY: "sk_bench" };
  try {
    for (let round = 0; round <= rounds; round += 1) {
      const bare = await received(() => run([floorProgram("bare-upload.js"), url, path]));
      const ours = await received(async () => {
        const ended = await claims(["diligence", "submit", path, "--seller-name", "Bench"], {
          env,
          watchMemory: true,
        });
        peakMiB = Math.max(peakMiB, ended.peakMiB);
      });
      if (round === 0) continue;
      taken.bare.push(bare);
      taken.ours.push(ours);
    }
  } finally {
    await stop(child);
  }
  return { bare: median(taken.bare), ours: median(taken.ours), peakMiB };
}

/**
 * What the sandbox needs at most to take the file in; it is refused at its first row, so that none is kept.
 * @param {string} path
 */
async function receivingMemory(path) {
  const sandbox = await startSandbox();
  try {
    await claims(["diligence", "submit", path, "--seller-name", "Bench"], { env: sandbox.env });
    return peakMemory(sandbox.child);
  } finally {
    await stop(sandbox.child);
  }
}
