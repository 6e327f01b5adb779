// A load generator with undici: every connection sends its next request as soon as it has a response.
import { Pool } from "undici";
import { measureProcessorSeconds } from "./processes.js";

const CONNECTIONS = 32;

/**
 * @typedef {object} Call
 * @property {"GET" | "POST"} method
 * @property {string} path
 * @property {Record<string, string>} headers
 * @property {Buffer} [body]
 */

/** @typedef {{ child: import("node:child_process").ChildProcess, url: string }} Server */
/**
 * `waitUntilIdle` is for the work that belongs to the requests.
 * @typedef {{ server: Server, call: Call, count: number, waitUntilIdle?: () => Promise<void> }} Work
 */

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
 * The requests per second of the server's processor time.
 * @param {Work} work
 */
export async function measureRate({ server, call, count, waitUntilIdle }) {
  const seconds = await measureProcessorSeconds(server.child, async () => {
    await load(server.url, [call], count);
    await waitUntilIdle?.();
  });
  return count / seconds;
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
