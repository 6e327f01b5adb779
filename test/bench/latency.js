// The latency of requests while the server has other work.
import { Pool } from "undici";

const INTERVAL_MS = 10;
const CONNECTIONS = 8;

/**
 * Sends a request every ten milliseconds from `begin` to `end`, without waiting for the previous response, because waiting
 * would hide slow responses.
 * @param {string} url
 * @param {string} authorization
 */
export function watchLatency(url, authorization) {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: CONNECTIONS, pipelining: 1 });
  const pending = /** @type {Set<Promise<void>>} */ (new Set());
  const latencies = /** @type {number[]} */ ([]);
  let timer = /** @type {NodeJS.Timeout | undefined} */ (undefined);

  async function sendRequest() {
    const start = performance.now();
    const { statusCode, body } = await pool.request({
      method: "GET",
      path: pathname,
      headers: { authorization },
    });
    await body.dump();
    if (statusCode !== 200) throw new Error(`${url} responded ${statusCode}`);
    latencies.push(performance.now() - start);
  }

  return {
    begin() {
      timer ??= setInterval(() => {
        const request = sendRequest().finally(() => pending.delete(request));
        pending.add(request);
      }, INTERVAL_MS);
    },
    /** Milliseconds of each request. */
    async end() {
      clearInterval(timer);
      await Promise.all(pending);
      await pool.close();
      return latencies;
    },
  };
}
