// The time from the start of a server to its first successful response.
import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort, startOnPort, stop } from "./processes.js";

/**
 * @typedef {object} Server
 * @property {(port: number) => import("node:child_process").ChildProcess} start
 * @property {string} path that responds 200 when the server is ready
 * @property {Record<string, string>} [headers]
 */

const TIMEOUT_MS = 15_000;

/**
 * @param {Parameters<typeof startOnPort>[0]} which
 * @returns {Server}
 */
export const ownServer = (which) => ({
  start: (port) => startOnPort(which, port),
  path: "/_sandbox/ready",
});

/** @param {Server} server */
export async function measureTimeToReady(server) {
  const { child, ms } = await startUntilReady(server);
  await stop(child);
  return { ms };
}

/** @param {Server} server */
export async function startUntilReady({ start, path, headers = {} }) {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const begin = performance.now();
  const child = start(port);
  while ((await requestStatus(url + path, headers)) !== 200) {
    const isTooLate = performance.now() - begin > TIMEOUT_MS;
    if (isTooLate || child.exitCode !== null) {
      await stop(child);
      throw new Error(
        isTooLate ? `it is not ready after ${TIMEOUT_MS} ms` : `it ended with ${child.exitCode}`,
      );
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
