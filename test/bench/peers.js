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
import { COMMANDS, READERS, SERVERS } from "./peers/table.js";
import {
  claims,
  fixture,
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
/** @typedef {import("./peers/table.js").Job} Job */
/** @typedef {import("./peers/table.js").Peer} Peer */

/**
 * A peer that can be measured; `time` measures its milliseconds.
 * @typedef {{ version: string, time: () => Promise<{ ms: number }> }} Ready
 */

/**
 * A peer, with the reason if it cannot be measured.
 * @template {Ready} [R=Ready]
 * @typedef {{ peer: Pick<Peer, "name" | "doesNot">, ready: R | null, reason?: string }} Prepared
 */

/** The peers are slower: so many requests are enough for the clock of the processor time. */
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
  return [...(await measureServers()), ...(await measureReaders()), ...(await measureCommands())];
}

/** The servers: their requests per second as in our own row, then their start. */
async function measureServers() {
  const sandbox = await startSandbox({ core: SERVER_CORE });
  const children = [sandbox.child];
  try {
    const call = await createStatusCall(sandbox);
    const job = await readObject(sandbox.url, call);
    const peers = await prepareAll(SERVERS, async (peer) => {
      const server = await prepareServer(peer, job, call.headers);
      children.push(server.child);
      await readObject(server.url, server.call);
      return server;
    });
    const rates = await runOnCore(LOAD_CORE, () => measureRates({ ...sandbox, call }, peers));
    await Promise.all(children.map(stop));
    const times = await measureTimes(() => measureTimeToReady(ownServer("sandbox")), peers, 9);
    return [
      ...createFigures({
        what: "GET status, by the server's processor time",
        unit: "/s",
        aim: AIMS.getOneBesideBestPeer,
        peers,
        samples: rates,
      }),
      ...createFigures({ what: "sandbox: start to ready", unit: "ms", aim: null, peers, samples: times }),
    ];
  } finally {
    await Promise.all(children.map(stop));
  }
}

/**
 * Starts the server on the core of servers, because a peer that does not start cannot be measured.
 * @param {import("./peers/table.js").ServerPeer} peer
 * @param {Job} job
 * @param {Call["headers"]} headers
 */
async function prepareServer({ name, packages, ...peer }, job, headers) {
  const modules = await installPackages(packages);
  const data = join(workFolder, `${name}.json`);
  writeFileSync(data, JSON.stringify(peer.data(job)));
  const path = peer.path(job.jobId);
  const start = (/** @type {number} */ port, /** @type {{ core?: number }} */ options = {}) =>
    startNode(peer.start(modules, data, String(port)), { output: false, ...options });
  const startOnCore = (/** @type {number} */ port) => start(port, { core: SERVER_CORE });
  const { child, url } = await startUntilReady({ start: startOnCore, path, headers });
  return {
    version: versionOf(packages),
    child,
    url,
    call: /** @type {Call} */ ({ method: "GET", path, headers }),
    time: () => measureTimeToReady({ start, path, headers }),
  };
}

/**
 * @param {string} url
 * @param {Call} call
 */
async function readObject(url, { path, headers }) {
  const response = await fetch(url + path, { headers });
  const object = /** @type {Job} */ (await response.json());
  if (typeof object.jobId !== "string") throw new Error(`${path} returned no job`);
  return object;
}

/**
 * Sends requests to all servers in turn. The first round only warms up.
 * @typedef {{ child: import("node:child_process").ChildProcess, url: string, call: Call }} Running
 * @param {Running} sandbox
 * @param {Prepared<Ready & Running>[]} peers
 */
async function measureRates(sandbox, peers) {
  const servers = [
    { name: "ours", server: sandbox, count: REQUESTS.ours },
    ...peers.flatMap(({ peer: { name }, ready }) =>
      ready ? [{ name, server: ready, count: REQUESTS.peer }] : [],
    ),
  ];
  const samples = Object.fromEntries(servers.map(({ name }) => [name, /** @type {number[]} */ ([])]));
  for (let round = 0; round <= 3; round += 1) {
    for (const { name, server, count } of servers) {
      const rate = await measureRate(server, server.call, count);
      if (round > 0) samples[name]?.push(rate);
    }
  }
  return samples;
}

/** A million rows: `check` beside what only reads them. */
async function measureReaders() {
  const path = join(workFolder, "entry.csv");
  await writeEntryFile(path, { scenario: "mixed", rows: ROWS, layout: "entry" });
  try {
    const peers = await prepareAll(READERS, async ({ packages, start }) => {
      const modules = await installPackages(packages);
      await tryRun(() => run(start(modules, fixture("sample_entries.csv"))));
      return { version: versionOf(packages), time: () => run(start(modules, path)) };
    });
    const samples = await measureTimes(() => claims(["diligence", "check", path, "--json"]), peers, 3);
    const what = `entry file, ${ROWS.toLocaleString("en")} rows: check`;
    return createFigures({ what, unit: "ms", aim: null, peers, samples });
  } finally {
    await rm(path);
  }
}

/** The command of our own row beside programs that send the same request to the same sandbox. */
async function measureCommands() {
  const sandbox = await startSandbox();
  try {
    const { path } = await createStatusCall(sandbox);
    const peers = await prepareAll(COMMANDS, async ({ name, start, env = {} }) => {
      const version = findProgram(name);
      const args = start(sandbox.url + path, `Authorization: ${sandbox.authorization}`);
      const time = () => run(args, { node: name, env });
      await tryRun(time);
      return { version, time };
    });
    const command = ["diligence", "status", path.split("/").at(-1) ?? "", "--json"];
    const samples = await measureTimes(() => claims(command, { env: sandbox.env }), peers, 9);
    const what = "diligence status, sandbox up";
    return createFigures({ what, unit: "ms", aim: null, peers, samples });
  } finally {
    await stop(sandbox.child);
  }
}

/**
 * The version of a program of this machine.
 * @param {string} name
 */
function findProgram(name) {
  const { error, stdout } = spawnSync(name, ["--version"], { encoding: "utf8" });
  if (error) throw new Error("it is not on this machine");
  return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? "";
}

/**
 * Runs a program once. Its error is not the reason in the row, because it names the arguments.
 * @param {() => Promise<unknown>} time
 */
async function tryRun(time) {
  await time().catch((cause) => {
    throw new Error("its first run failed", { cause });
  });
}

/** @param {readonly string[]} packages */
const versionOf = ([own = ""]) => own.split("@").at(-1) ?? "";

/**
 * @template {Pick<Peer, "name" | "doesNot">} P
 * @template {Ready} R
 * @param {readonly P[]} peers
 * @param {(peer: P) => Promise<R>} prepare fails if the peer cannot be measured
 */
async function prepareAll(peers, prepare) {
  const prepared = /** @type {Prepared<R>[]} */ ([]);
  for (const peer of peers) {
    try {
      prepared.push({ peer, ready: await prepare(peer) });
    } catch (error) {
      const { message: reason, cause } = /** @type {Error & { cause?: Error }} */ (error);
      const [details] = cause?.message.split("\n") ?? [];
      process.stderr.write(`${peer.name} is NOT measured: ${reason}${details ? `: ${details}` : ""}\n`);
      prepared.push({ peer, ready: null, reason });
    }
  }
  return prepared;
}

/**
 * @param {Ready["time"]} ours
 * @param {Prepared[]} peers
 * @param {number} rounds
 */
function measureTimes(ours, peers, rounds) {
  const others = peers.flatMap(({ peer: { name }, ready }) => (ready ? [[name, ready.time]] : []));
  return measureInterleaved(
    /** @type {Record<string, Ready["time"]>} */ ({ ours, ...Object.fromEntries(others) }),
    rounds,
  );
}

/**
 * One row for each peer, whose value is in the place of the floor. The aim is judged beside the peer with the highest value,
 * and not at all if that could be one that is not measured.
 * @param {object} measured
 * @param {string} measured.what
 * @param {"/s" | "ms"} measured.unit
 * @param {Figure["aim"]} measured.aim
 * @param {Prepared[]} measured.peers
 * @param {Record<string, number[]>} measured.samples of `ours` and of each peer that is measured
 * @returns {Figure[]}
 */
function createFigures({ what, unit, aim, peers, samples }) {
  const { ours = [], ...others } = samples;
  const isComplete = peers.every(({ ready }) => ready !== null);
  const best = Math.max(...Object.values(others).map(median));
  return peers.map(({ peer: { name, doesNot }, ready, reason }) => {
    const floor = ready && { name: `${name} ${ready.version}`.trimEnd(), value: median(others[name] ?? []) };
    return {
      what: `${what}, beside ${name}`,
      unit,
      floor,
      ...summarize(ours),
      aim: isComplete && floor?.value === best ? aim : null,
      note: ready ? `${name} does not ${doesNot}` : `${name} is NOT measured: ${reason}`,
    };
  });
}
