import type { Buffer } from "node:buffer";

/** The service waits as long (product.md §5). */
export const RECEIVER_TIMEOUT_MS = 15_000;

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

const MAX_EXCERPT_BYTES = 1_024;

/** The beginning of a response body as text; U+FFFD replaces invalid characters. */
export const bodyExcerpt = (body: Buffer): string =>
  body.subarray(0, MAX_EXCERPT_BYTES).toString("utf8").trimEnd();

const ADVICE: Readonly<Record<number, string>> = {
  400: "the app cannot read it, or considers the signature wrong: it must verify the raw bytes",
  401: "the app changes the body before it verifies, or verifies with another secret",
  403: "the app changes the body before it verifies, verifies with another secret, or requires a login",
  404: "the app has no such route: check the path of the URL",
  405: "the app does not accept POST there: check the path of the URL",
  410: "the app is gone: the service disables an endpoint that responds with this",
  413: "the app or its proxy accepts only smaller bodies",
  415: "the app accepts only another content type",
  429: "the app or its proxy allows fewer requests",
};

export function adviseOnStatus(status: number): string {
  if (status >= 300 && status < 400) return "redirects are not followed: use the URL that it leads to";
  return ADVICE[status] ?? (status >= 500 ? "the app failed: check its log" : "check the log of the app");
}
