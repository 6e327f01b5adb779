import { get } from "node:http";
import type { Context } from "../context.ts";

/** Milliseconds that a sandbox which is up may take to say so, also beside a large job. */
const HEALTH_TIMEOUT_MS = 5_000;

/** `none`: nothing listens at that address, or something else does. `silent`: it cannot be told. */
export type SandboxHealth = "up" | "none" | "silent";

/**
 * Asks the address of a locator whether its sandbox is there. Another one may have taken its port since: it does not take
 * the control token, which is random. Without undici, which most commands that get here do not load otherwise.
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

const fetchStatus = ({ signal }: Pick<Context, "signal">, url: string, token?: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const request = get(url, { agent: false, headers, signal, timeout: HEALTH_TIMEOUT_MS }, (response) => {
      response.resume().once("close", () => resolve(response.statusCode));
    });
    request.once("timeout", () => request.destroy(new Error("it did not answer in time")));
    request.once("error", reject);
  });
