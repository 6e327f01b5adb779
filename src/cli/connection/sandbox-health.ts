import { get, type IncomingMessage } from "node:http";
import { isRecord, parseJsonText } from "../../domain/json.ts";
import type { Context } from "../context.ts";

/** A sandbox responds within this time, also during a large job. */
const HEALTH_TIMEOUT_MS = 5_000;

/**
 * `none`: nothing or another program listens at the address. `busy`: what listens there does not respond in time.
 * `unreachable`: there is no connection, or it failed.
 */
export type SandboxHealth = "up" | "none" | "busy" | "unreachable";

/** The control token is random, so that a later sandbox on its port refuses it. Uses node:http: undici loads slowly. */
export async function checkSandboxHealth(
  context: Pick<Context, "signal">,
  { url, controlToken }: { readonly url: string; readonly controlToken: string },
): Promise<SandboxHealth> {
  try {
    const health = await fetchText(context, `${url}/_sandbox/health`);
    if (health.status !== 200) return "none";
    const clock = await fetchText(context, `${url}/_sandbox/clock`, controlToken);
    return clock.status === 200 ? "up" : "none";
  } catch (error) {
    if (context.signal.aborted) throw error;
    if (error instanceof NoResponse) return "busy";
    return (error as NodeJS.ErrnoException).code === "ECONNREFUSED" ? "none" : "unreachable";
  }
}

/** For the whole response. A write does not wait longer for it. */
const INSTANCE_TIMEOUT_MS = 2_000;

export interface SandboxState {
  readonly instanceId: string;
  readonly isFrozen: boolean;
  /** Of its clock, in milliseconds; null if it does not say so. */
  readonly now: number | null;
}

/** Null if something else responds. @throws an error without a response */
export async function fetchSandboxState(
  context: Pick<Context, "signal">,
  baseUrl: string,
): Promise<SandboxState | null> {
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(INSTANCE_TIMEOUT_MS)]);
  const { status, text } = await fetchText({ signal }, `${new URL(baseUrl).origin}/_sandbox/health`);
  const health = status === 200 ? parseJsonText(text) : null;
  if (!isRecord(health) || typeof health.instanceId !== "string") return null;
  const { instanceId, clockFrozen, clockNow } = health;
  return { instanceId, isFrozen: clockFrozen === true, now: Date.parse(String(clockNow)) || null };
}

/** The server accepted the connection, and did not respond in time. */
class NoResponse extends Error {}

/** What something else sends has no end that anyone knows. */
const MAX_TEXT_LENGTH = 4_096;

async function fetchText({ signal }: Pick<Context, "signal">, url: string, token?: string) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const request = get(url, { agent: false, headers, signal, timeout: HEALTH_TIMEOUT_MS }, resolve);
    request.once("timeout", () => {
      const isConnected = request.socket?.connecting === false;
      request.destroy(isConnected ? new NoResponse() : new Error("no connection in time"));
    });
    request.once("error", reject);
  });
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) if (text.length < MAX_TEXT_LENGTH) text += chunk;
  return { status: response.statusCode, text };
}
