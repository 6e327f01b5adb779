import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import type { Context } from "koa";
import { isLoopback } from "../../src/domain/net.ts";
import { parseBearerToken } from "../wire/bearer.ts";
import { controlProblem } from "./problems.ts";

const LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/** Whether a Host header names this sandbox. Beyond loopback, every IP literal passes: an attacker can rebind only a name. */
export function isOwnHost(header: string, boundHost: string): boolean {
  // No user, list or space: what a URL parser reads from such a header depends on the parser (RFC 9110 §7.2).
  const [, name] = /^([\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/.exec(header.toLowerCase()) ?? [];
  if (name === undefined) return false;
  if (name === boundHost.toLowerCase() || LOOPBACK_HOSTS.includes(name)) return true;
  return !isLoopback(boundHost) && isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0;
}

/** Keeps web pages out: one that rebinds its name fails at the Host list, one that calls the address at Origin. */
export function requireSameOrigin(ctx: Context, boundHost: string): void {
  // As sent: Koa's `ctx.host` takes one name out of a list or a URL.
  const { host = "" } = ctx.req.headers;
  const hostDetail = `The control API responds to the names of this machine, not to ${host}.`;
  if (!isOwnHost(host, boundHost)) throw controlProblem("host_not_allowed", hostDetail);
  const origin = ctx.get("Origin");
  if (origin !== "" && origin !== `http://${host}`)
    throw controlProblem("origin_not_allowed", `A page of ${origin} may not use the control API.`);
  // An image, a link or a form with GET has no Origin; browsers say in this where it comes from (Fetch Metadata §2.3).
  if (!["", "same-origin", "none"].includes(ctx.get("Sec-Fetch-Site").toLowerCase()))
    throw controlProblem("origin_not_allowed", "A page of another origin may not use the control API.");
}

export function requireControlToken(ctx: Context, controlToken: string): void {
  const token = parseBearerToken(ctx.get("Authorization"));
  if (token !== undefined && isSameSecret(token, controlToken)) return;
  const challenge = { "WWW-Authenticate": 'Bearer realm="claims sandbox control"' };
  throw token === undefined
    ? controlProblem("control_token_missing", "Send the control token as Authorization: Bearer.", challenge)
    : controlProblem("control_token_invalid", "The control token is not that of this sandbox.", challenge);
}

/** Compares digests: their equal length lets the comparison take the same time whatever was guessed. */
export const isSameSecret = (one: string, other: string): boolean =>
  timingSafeEqual(sha256(one), sha256(other));

const sha256 = (text: string) => createHash("sha256").update(text).digest();
