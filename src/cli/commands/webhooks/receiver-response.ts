import type { Buffer } from "node:buffer";
import { readMonotonic } from "../../../client/runtime.ts";
import { readCaOption } from "../../connection/ca-file.ts";
import { readProxySettings } from "../../connection/sources.ts";
import type { Context } from "../../context.ts";

/** The service waits as long (product.md §5). */
const RECEIVER_TIMEOUT_MS = 15_000;

interface ReceiverOptions {
  readonly caFile?: string | undefined;
  readonly timeout?: number | undefined;
}

/** What a request to a receiver needs besides its content. */
export async function readReceiverOptions(context: Context, url: string, options: ReceiverOptions) {
  const { env, signal } = context;
  const { caFile, timeout: timeoutMs = RECEIVER_TIMEOUT_MS } = options;
  return {
    url,
    timeoutMs,
    ca: await readCaOption(context, caFile),
    proxy: readProxySettings(env),
    signal,
    now: () => readMonotonic(context),
  };
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

const MAX_EXCERPT_BYTES = 1_024;

/** The beginning of a response body as text; U+FFFD replaces invalid characters. */
export const bodyExcerpt = (body: Buffer): string =>
  body.subarray(0, MAX_EXCERPT_BYTES).toString("utf8").trimEnd();

const REFUSED =
  "possible reasons: it changes the body before it verifies, verifies with another secret, or requires a login; `claims webhooks probe` narrows this down";

/** What the definition of a status says (RFC 9110 §15), or its possible reasons. */
const ADVICE: Readonly<Record<number, string>> = {
  400: "possible reasons: it cannot read the body, or changes the body before it verifies; `claims webhooks probe` narrows this down",
  401: REFUSED,
  403: REFUSED,
  404: "possible reasons: the path of the URL is wrong, or the app has no such route yet",
  405: "the app does not accept POST there: check the path of the URL",
  410: "the app says that it is gone for good; the sandbox disables an endpoint that responds with this",
  413: "the app, or a proxy before it, accepts only smaller bodies",
  415: "the app accepts only another content type",
  429: "the app, or a proxy before it, allows fewer requests",
};

export function adviseOnStatus(status: number): string {
  if (status >= 300 && status < 400) return "redirects are not followed: use the URL that it leads to";
  if (status >= 502 && status <= 504)
    return "possible reasons: the app is starting, overloaded or down, or too slow for the proxy before it";
  return ADVICE[status] ?? "look at the log of the app";
}
