// Our work beside json-server, the program that somebody would use instead. Where it cannot be installed, it is named, not measured.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { AIMS } from "./aims.js";
import { createStatusCall } from "./calls.js";
import { median, summarize } from "./figure.js";
import { installPackage } from "./install.js";
import { measureInTurn } from "./load.js";
import { LOAD_CORE, runOnCore, SERVER_CORE, startNode, startSandbox, stop, workFolder } from "./processes.js";
import { measureTimeToReady, ownServer, startUntilReady } from "./ready.js";
import { measureInterleaved } from "./startup.js";

/** @typedef {import("./figure.js").Figure} Figure */

/** The peer is slower: so many requests are enough for the clock of the processor time. */
const REQUESTS = { ours: 15_000, peer: 5_000 };

/** @type {import("./figure.js").Suite} */
export async function measurePeers({ quick }) {
  if (quick) {
    process.stderr.write("left out with --quick … ");
    return [];
  }
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
        { server: peer, call: { ...call, path }, count: REQUESTS.peer },
        { server: sandbox, call, count: REQUESTS.ours },
        3,
      ),
    );
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
        floor: { name: "json-server", value: median(rates.floor) },
        ...summarize(rates.ours),
        aim: AIMS.getOneBesideBestPeer,
        note,
      },
      {
        what: "sandbox: start to ready, beside json-server",
        unit: /** @type {const} */ ("ms"),
        floor: { name: "json-server", value: median(times.peer) },
        ...summarize(times.ours),
        aim: AIMS.readyBesidePeer,
        note,
      },
    ];
  } finally {
    await Promise.all(children.map(stop));
  }
}
