// Our work beside the programs that somebody would use instead. What cannot be installed or started is named, not measured.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { AIMS } from "./aims.js";
import { createStatusCall } from "./calls.js";
import { writeEntryFile } from "./entry-files.js";
import { median, summarize } from "./figure.js";
import { installPackages } from "./install.js";
import { measureRate } from "./load.js";
import {
  claims,
  floorProgram,
  LOAD_CORE,
  run,
  runOnCore,
  SERVER_CORE,
  startNode,
  startSandbox,
  stop,
  workFolder,
} from "./processes.js";
import { measureTimeToReady, ownServer, startUntilReady } from "./ready.js";
import { measureInterleaved } from "./startup.js";

/** @typedef {import("./figure.js").Figure} Figure */
/** @typedef {import("./load.js").Call} Call */
/** @typedef {Awaited<ReturnType<typeof startSandbox>>} Sandbox */

/** The peer is slower: so many requests are enough for the clock of the processor time. */
const REQUESTS = { ours: 15_000, peer: 5_000 };
const ROWS = 1_000_000;

/**
 * @param {{ quick: boolean }} options
 * @returns {Promise<Figure[]>}
 */
export async function measurePeers({ quick }) {
  if (quick) {
    process.stderr.write("left out with --quick … ");
    return [];
  }
  const figures = [];
  for (const [name, measure] of Object.entries(PEERS)) {
    try {
      figures.push(...(await measure()));
    } catch (error) {
      process.stderr.write(`${name} is NOT measured: ${/** @type {Error} */ (error).message}\n`);
    }
  }
  return figures;
}

/** @type {Record<string, () => Promise<Figure[]>>} */
const PEERS = {
  "json-server": measureJsonServer,
  "csv-parse": () =>
    measureReader(
      "csv-parse",
      "7.0.3",
      "csv-parse does not check or classify rows: it splits them into cells",
    ),
  DuckDB: () =>
    measureReader(
      "@duckdb/node-api",
      "1.5.6-r.1",
      "DuckDB does not check or classify rows: it guesses the type of each column and counts its values, in C++ on all cores",
    ),
  curl: () =>
    measureCommand(
      "curl",
      ["--silent", "--show-error", "--fail"],
      "curl does not know profiles or operations",
    ),
  gh: () => measureCommand("gh", ["api"], "`gh api` does not know the operations or errors of the service"),
};

/** Its requests per second as in our own row, then its start. */
async function measureJsonServer() {
  const modules = await installPackages(["json-server@0.17.4"]);
  const sandbox = await startSandbox({ core: SERVER_CORE });
  const children = [sandbox.child];
  try {
    const call = await createStatusCall(sandbox);
    const response = await fetch(sandbox.url + call.path, { headers: call.headers });
    const job = /** @type {{ jobId: string }} */ (await response.json());
    const data = join(workFolder, "jobs.json");
    writeFileSync(data, JSON.stringify({ jobs: [{ id: job.jobId, ...job }] }));
    const program = join(modules, "json-server/lib/cli/bin.js");
    const path = `/jobs/${job.jobId}`;
    const start = (/** @type {number} */ port, /** @type {{ core?: number }} */ options = {}) => {
      const args = [program, data, "--quiet", "--host", "127.0.0.1", "--port", String(port)];
      return startNode(args, { output: false, ...options });
    };
    const peer = await startUntilReady({ start: (port) => start(port, { core: SERVER_CORE }), path });
    children.push(peer.child);
    const rates = await runOnCore(LOAD_CORE, () => measureRates(sandbox, call, peer, { ...call, path }));
    await Promise.all(children.map(stop));
    const times = await measureInterleaved(
      {
        ours: () => measureTimeToReady(ownServer("sandbox")),
        peer: () => measureTimeToReady({ start, path }),
      },
      9,
    );
    const note = "json-server does not check credentials, record requests, inject faults or send webhooks";
    return [
      {
        what: "GET status, by the server's processor time, beside json-server",
        unit: /** @type {const} */ ("/s"),
        floor: { name: "json-server", value: median(rates.peer) },
        ...summarize(rates.ours),
        aim: AIMS.getOneBesideBestPeer,
        note,
      },
      createFigure("sandbox: start to ready", "json-server", times, note),
    ];
  } finally {
    await Promise.all(children.map(stop));
  }
}

/**
 * Sends requests to both in turn. The first round only warms up.
 * @param {Sandbox} sandbox
 * @param {Call} call
 * @param {{ child: import("node:child_process").ChildProcess, url: string }} peer
 * @param {Call} peerCall
 */
async function measureRates(sandbox, call, peer, peerCall) {
  const rates = { ours: /** @type {number[]} */ ([]), peer: /** @type {number[]} */ ([]) };
  for (let round = 0; round <= 3; round += 1) {
    const ours = await measureRate(sandbox, call, REQUESTS.ours);
    const others = await measureRate(peer, peerCall, REQUESTS.peer);
    if (round === 0) continue;
    rates.ours.push(ours);
    rates.peer.push(others);
  }
  return rates;
}

/**
 * A million rows: `check` beside a program that only reads them.
 * @param {string} name of the package
 * @param {string} version
 * @param {string} note
 */
async function measureReader(name, version, note) {
  const modules = await installPackages([`${name}@${version}`]);
  const program = floorProgram(name === "csv-parse" ? "csv-parse.js" : "duckdb.js");
  const path = join(workFolder, "entry.csv");
  await writeEntryFile(path, { scenario: "mixed", rows: ROWS, layout: "entry" });
  try {
    const times = await measureInterleaved(
      {
        ours: () => claims(["diligence", "check", path, "--json"]),
        peer: () => run([program, modules, path]),
      },
      3,
    );
    return [createFigure(`entry file, ${ROWS.toLocaleString("en")} rows: check`, name, times, note)];
  } finally {
    await rm(path);
  }
}

/**
 * The command of our own row beside a program of this machine that sends the same request to the same sandbox.
 * @param {string} name
 * @param {readonly string[]} options
 * @param {string} note
 */
async function measureCommand(name, options, note) {
  if (spawnSync(name, ["--version"]).error) throw new Error("it is not on this machine");
  const sandbox = await startSandbox();
  try {
    const { path } = await createStatusCall(sandbox);
    const args = [...options, "--header", `Authorization: ${sandbox.authorization}`, sandbox.url + path];
    const command = ["diligence", "status", path.split("/").at(-1) ?? "", "--json"];
    const times = await measureInterleaved(
      {
        ours: () => claims(command, { env: sandbox.env }),
        // Without a token, gh asks for a login.
        peer: () => run(args, { node: name, env: { GH_TOKEN: "none" } }),
      },
      9,
    );
    return [createFigure("diligence status, sandbox up", name, times, note)];
  } finally {
    await stop(sandbox.child);
  }
}

/**
 * @param {string} what
 * @param {string} name
 * @param {Record<"ours" | "peer", number[]>} times
 * @param {string} note
 * @returns {Figure}
 */
const createFigure = (what, name, times, note) => ({
  what: `${what}, beside ${name}`,
  unit: "ms",
  floor: { name, value: median(times.peer) },
  ...summarize(times.ours),
  aim: null,
  note,
});
