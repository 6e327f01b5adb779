// Our work beside json-server, the program that somebody would use instead. Where it cannot be installed, it is named, not measured.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { createStatusCall } from "./calls.js";
import { measureInTurn, median, summarize } from "./figure.js";
import { measureRate } from "./load.js";
import {
  LOAD_CORE,
  ROOT,
  runOnCore,
  SERVER_CORE,
  startNode,
  startSandbox,
  stop,
  workFolder,
} from "./processes.js";
import { measureTimeToReady, SERVERS, startUntilReady } from "./ready.js";

/** @typedef {import("./figure.js").Figure} Figure */

/** The peer is slower: so many requests are enough for the clock of the processor time. */
const REQUESTS = { ours: 15_000, peer: 5_000 };

/** @type {import("./figure.js").Suite} */
export async function measurePeers() {
  try {
    return await measureJsonServer();
  } catch (error) {
    process.stderr.write(`json-server is NOT measured: ${/** @type {Error} */ (error).message}\n`);
    return [];
  }
}

/**
 * Its requests per second as in our own row, then its start.
 * @returns {Promise<Figure[]>}
 */
async function measureJsonServer() {
  const modules = await installPackage("json-server@0.17.4");
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
    const rates = await runOnCore(LOAD_CORE, () =>
      measureInTurn(
        {
          floor: () => measureRate({ server: peer, call: { ...call, path }, count: REQUESTS.peer }),
          ours: () => measureRate({ server: sandbox, call, count: REQUESTS.ours }),
        },
        3,
      ),
    );
    await Promise.all(children.map(stop));
    const times = await measureInTurn(
      { ours: () => measureTimeToReady(SERVERS.sandbox), peer: () => measureTimeToReady({ start, path }) },
      9,
    );
    const note = "json-server does not check credentials, record requests, inject faults or send webhooks";
    return [
      {
        what: "GET status, by the server's processor time, beside json-server",
        unit: /** @type {const} */ ("/s"),
        floor: { name: "json-server", value: median(rates.floor) },
        ...summarize(rates.ours),
        aim: { least: 3 },
        note,
      },
      {
        what: "sandbox: start to ready, beside json-server",
        unit: /** @type {const} */ ("ms"),
        floor: { name: "json-server", value: median(times.peer) },
        ...summarize(times.ours),
        aim: { most: 1 },
        note,
      },
    ];
  } finally {
    await Promise.all(children.map(stop));
  }
}

/** It is no dependency of the repository: it has a folder of its own. */
const CACHE = join(ROOT, "node_modules", ".cache", "bench");

/**
 * Installs a package from the package registry, once per checkout, and returns the folder of the modules.
 * @param {string} name with its version
 */
async function installPackage(name) {
  const folder = join(CACHE, name);
  const modules = join(folder, "node_modules");
  // npm writes this file at the end.
  if (existsSync(join(modules, ".package-lock.json"))) return modules;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  const options = ["--ignore-scripts", "--no-audit", "--no-fund"];
  try {
    await promisify(execFile)("npm", ["install", ...options, name], { cwd: folder });
  } catch (error) {
    // Only the code: the rest of npm's message has addresses and paths of this machine.
    const { stderr = "", message } = /** @type {Error & { stderr?: string }} */ (error);
    const [, code = "no code"] = /npm (?:error|ERR!) code (\S+)/.exec(stderr || message) ?? [];
    throw new Error(`npm cannot install ${name} (${code})`, { cause: error });
  }
  return modules;
}
