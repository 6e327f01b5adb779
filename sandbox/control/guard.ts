import { createHash, timingSafeEqual } from "node:crypto";
import type { Context } from "koa";
import { parseBearerToken } from "../wire/bearer.ts";
import { controlProblem } from "./problems.ts";

/** Keeps out web pages that call a name of the sandbox; those that bind their own name to it fail at the guard of all requests. */
export function requireSameOrigin(ctx: Context): void {
  const { host = "" } = ctx.req.headers;
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
