import type { ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";

/**
 * Waits with an answer.
 *
 * @param delay milliseconds of wall time
 * @returns false when whoever asked has gone meanwhile, as they do when the sandbox closes
 */
export async function delayResponse(res: ServerResponse, delay: number): Promise<boolean> {
  if (res.closed) return false;
  if (delay === 0) return true;
  const gone = new AbortController();
  const abort = () => gone.abort();
  res.once("close", abort);
  try {
    await setTimeout(delay, undefined, { signal: gone.signal });
    return true;
  } catch {
    return false;
  } finally {
    res.off("close", abort);
  }
}
