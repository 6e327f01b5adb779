// The time from the start of a server to its first successful response.
import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { CLAIMS, findFreePort, floorProgram, ONE_FILE, startNode, stop } from "./processes.js";

/**
 * @typedef {object} Server
 * @property {(port: number) => import("node:child_process").ChildProcess} start
 * @property {string} path that responds 200 when the server is ready
 * @property {Record<string, string>} [headers]
 */

const TIMEOUT_MS = 15_000;

const READY_PATH = "/_sandbox/ready";
const up = (/** @type {number} */ port) => ["sandbox", "up", "--port", String(port)];

/** Our sandbox with Node, and as one file, and the floor of a server. */
export const SERVERS = /** @satisfies {Record<string, Server>} */ ({
  sandbox: { start: (port) => startNode([CLAIMS, ...up(port)], { output: false }), path: READY_PATH },
  oneFile: { start: (port) => startNode(up(port), { output: false, node: ONE_FILE }), path: READY_PATH },
  bare: {
    start: (port) => startNode([floorProgram("bare-http.js"), String(port)], { output: false }),
    path: READY_PATH,
  },
});

/** @param {Server} server */
export async function measureTimeToReady(server) {
  const { child, ms } = await startUntilReady(server);
  await stop(child);
  return ms;
}

/** @param {Server} server */
export async function startUntilReady({ start, path, headers = {} }) {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const begin = performance.now();
  const child = start(port);
  while ((await requestStatus(url + path, headers)) !== 200) {
    if (performance.now() - begin > TIMEOUT_MS || child.exitCode !== null) {
      await stop(child);
      throw new Error(`the server is not ready after ${TIMEOUT_MS} ms, or it has ended`);
    }
    await sleep(1);
  }
  return { child, url, ms: performance.now() - begin };
}

/**
 * Returns the status of a GET request; 0 while nothing listens.
 * @param {string} url
 * @param {Record<string, string>} headers
 * @returns {Promise<number>}
 */
const requestStatus = (url, headers) =>
  new Promise((resolve) => {
    const request = get(url, { agent: false, headers }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode ?? 0));
    });
    request.once("error", () => resolve(0));
  });
