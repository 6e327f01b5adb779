import { get } from "node:http";
import type { Context } from "../context.ts";

/** A sandbox responds within this time, also during a large job. */
const HEALTH_TIMEOUT_MS = 5_000;

/** `none`: nothing or another program listens at the address. `silent`: unknown, because it does not respond. */
export type SandboxHealth = "up" | "none" | "silent";

/**
 * Checks whether the sandbox of a locator responds. A later sandbox on its port refuses the control token, which is
 * random. Uses node:http, because most callers do not load undici.
 */
export async function checkSandboxHealth(
  context: Pick<Context, "signal">,
  { url, controlToken }: { readonly url: string; readonly controlToken: string },
): Promise<SandboxHealth> {
  try {
    const isHealthy = (await fetchStatus(context, `${url}/_sandbox/health`)) === 200;
    if (!isHealthy) return "none";
    return (await fetchStatus(context, `${url}/_sandbox/clock`, controlToken)) === 200 ? "up" : "none";
  } catch (error) {
    if (context.signal.aborted) throw error;
    return (error as NodeJS.ErrnoException).code === "ECONNREFUSED" ? "none" : "silent";
  }
}

async function fetchStatus(
  { signal }: Pick<Context, "signal">,
  url: string,
  token?: string,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const request = get(url, { agent: false, headers, signal, timeout: HEALTH_TIMEOUT_MS }, (response) => {
      response.resume().once("close", () => resolve(response.statusCode));
    });
    request.once("timeout", () => request.destroy(new Error("no response in time")));
    request.once("error", reject);
  });
}
