import type { Environment } from "../../domain/environments.ts";
import { usageError } from "../../domain/errors.ts";
import { isLoopback } from "../../domain/net.ts";

/** Without a final slash, so that two of them can be compared. @param option where it is from */
export function normalizeBaseUrl(text: string, option = "--base-url"): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  // A query or a fragment may be empty.
  if (url && /^https?:$/.test(url.protocol) && !/[?#]/.test(text) && !url.username && !url.password)
    return url.href.replace(/\/+$/, "");
  throw usageError("option_invalid", "the base URL must be http(s)://host[:port][/path], nothing more", {
    option,
    hint: "for example https://partners.example.com",
  });
}

export const isLoopbackUrl = (baseUrl: string): boolean => isLoopback(new URL(baseUrl).hostname);

/** Whether two base URLs name one service. `localhost` equals any loopback address. */
export function isSameService(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)];
  if (a.hostname === "localhost" && isLoopback(b.hostname)) a.hostname = b.hostname;
  if (b.hostname === "localhost" && isLoopback(a.hostname)) b.hostname = a.hostname;
  return a.href === b.href;
}

/** A warning if the credential would cross a network unencrypted, otherwise null. */
export const describePlainHttpRisk = (baseUrl: string): string | null =>
  baseUrl.startsWith("http:") && !isLoopbackUrl(baseUrl)
    ? `warning: ${baseUrl} is not encrypted; others on the network can read the credential; use https`
    : null;

/** The environment of a base URL for which none is given (product.md §4). */
export const inferEnvironment = (baseUrl: string): Environment =>
  isLoopbackUrl(baseUrl) ? "sandbox" : "production";
