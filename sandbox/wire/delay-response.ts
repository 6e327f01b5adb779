import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";

/** @param delayMs wall time @returns false when the caller has disconnected meanwhile, also because the sandbox closes */
export async function delayResponse(res: ServerResponse, delayMs: number): Promise<boolean> {
  if (res.closed || delayMs === 0) return !res.closed;
  const done = new AbortController();
  const { signal } = done;
  const closed = once(res, "close", { signal }).then(() => false);
  try {
    return await Promise.race([setTimeout(delayMs, true, { signal }), closed]);
  } finally {
    done.abort();
  }
}
