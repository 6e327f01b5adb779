// A load generator with undici: every connection sends its next request as soon as it has a response.
import { Pool } from "undici";
import { processorSeconds } from "./processes.js";

const CONNECTIONS = 32;

/**
 * @typedef {object} Call
 * @property {"GET" | "POST"} method
 * @property {string} path
 * @property {Record<string, string>} headers
 * @property {Buffer} [body]
 */

/** @typedef {{ child: import("node:child_process").ChildProcess, url: string }} Server */
/** @typedef {{ server: Server, call: Call, count: number, waitUntilIdle?: () => Promise<void> }} Work */

/**
 * Sends `count` requests over all connections, those of the list in turn.
 * @param {string} url
 * @param {readonly Call[]} calls
 * @param {number} count
 * @param {number} [highestStatus] that is no failure
 */
export async function load(url, calls, count, highestStatus = 299) {
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });
  try {
    let sent = 0;
    const worker = async () => {
      while (sent < count) {
        const call = calls[sent % calls.length];
        if (!call) throw new Error("there is no request to send");
        sent += 1;
        await exchange(pool, call, highestStatus);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  } finally {
    await pool.close();
  }
}

/**
 * Sends `count` requests; resolves to requests per second of the server's processor time.
 * @param {Server} server
 * @param {Call} call
 * @param {number} count
 * @param {() => Promise<void>} [waitUntilIdle] for the work that belongs to the requests
 */
async function measureRate({ child, url }, call, count, waitUntilIdle) {
  const before = processorSeconds(child) ?? 0;
  await load(url, [call], count);
  await waitUntilIdle?.();
  return count / ((processorSeconds(child) ?? Number.NaN) - before);
}

/**
 * The rates of a server and of its floor, measured in turn. The first round only warms up.
 * @param {Work} floor
 * @param {Work} ours
 * @param {number} rounds
 */
export async function measureInTurn(floor, ours, rounds) {
  const rates = { floor: /** @type {number[]} */ ([]), ours: /** @type {number[]} */ ([]) };
  for (let round = 0; round <= rounds; round += 1) {
    const floorRate = await measureRate(floor.server, floor.call, floor.count);
    const ourRate = await measureRate(ours.server, ours.call, ours.count, ours.waitUntilIdle);
    if (round === 0) continue;
    rates.floor.push(floorRate);
    rates.ours.push(ourRate);
  }
  return rates;
}

/**
 * Sends one request without undici's streams, which would cost more than the server does.
 * @param {Pool} pool
 * @param {Call} call
 * @param {number} highestStatus
 * @returns {Promise<void>}
 */
function exchange(pool, { method, path, headers, body }, highestStatus) {
  return new Promise((resolve, reject) => {
    pool.dispatch(
      { method, path, headers, body: body ?? null },
      {
        onRequestStart: () => {},
        onResponseStart: (_controller, status) => {
          if (status > highestStatus) reject(new Error(`${method} ${path} responded ${status}`));
        },
        onResponseData: () => {},
        onResponseEnd: () => resolve(),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}
