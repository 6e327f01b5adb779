// How long one request takes while the server has other work.
import { Pool } from "undici";

const EVERY_MS = 10;
const CONNECTIONS = 8;

/**
 * Asks every ten milliseconds from `begin` to `end`, whether or not the one before has been answered: waiting for it
 * would hide the slow ones.
 * @param {string} url
 * @param {string} authorization
 */
export function watchLatency(url, authorization) {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: CONNECTIONS, pipelining: 1 });
  const pending = /** @type {Set<Promise<void>>} */ (new Set());
  const taken = /** @type {number[]} */ ([]);
  let timer = /** @type {NodeJS.Timeout | undefined} */ (undefined);

  async function ask() {
    const begun = performance.now();
    const { statusCode, body } = await pool.request({
      method: "GET",
      path: pathname,
      headers: { authorization },
    });
    await body.dump();
    if (statusCode !== 200) throw new Error(`${url} was answered with ${statusCode}`);
    taken.push(performance.now() - begun);
  }

  return {
    begin() {
      timer ??= setInterval(() => {
        const asked = ask().finally(() => pending.delete(asked));
        pending.add(asked);
      }, EVERY_MS);
    },
    /** Milliseconds of each request. */
    async end() {
      clearInterval(timer);
      await Promise.all(pending);
      await pool.close();
      return taken;
    },
  };
}
