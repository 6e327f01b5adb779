import type { Context } from "koa";
import type { Engine } from "../../engine/engine.ts";
import { type Caller, digestSecret } from "../../store/credentials.ts";
import { parseBearerToken } from "../../wire/bearer.ts";
import { problemError } from "../../wire/problem-error.ts";

/**
 * Counts a request for its credential where there is a rate limit, and tells how that stands. One whose credential is
 * refused counts for its address: guesses must not have a quota each.
 */
export function limitCaller(ctx: Context, engine: Engine, authenticate: () => Caller): Caller {
  if (!engine.rateLimit) return authenticate();
  const caller = tryAuthenticate(authenticate);
  if ("error" in caller) {
    limitAddress(ctx, engine);
    throw caller.error;
  }
  countRequest(ctx, engine, digestSecret(parseBearerToken(ctx.get("Authorization")) ?? ctx.get("X-API-Key")));
  return caller;
}

/** The same for a request without a credential of its own: of a client for a token, or for a path that is no route. */
export function limitAddress(ctx: Context, engine: Engine): void {
  if (engine.rateLimit) countRequest(ctx, engine, `address ${ctx.req.socket.remoteAddress}`);
}

function tryAuthenticate(authenticate: () => Caller): Caller | { readonly error: unknown } {
  try {
    return authenticate();
  } catch (error) {
    return { error };
  }
}

/** The headers of draft-ietf-httpapi-ratelimit-headers-10. */
function countRequest(ctx: Context, { rateLimit }: Engine, quotaKey: string): void {
  if (!rateLimit) return;
  const { requests, seconds } = rateLimit.quota;
  const { isAdmitted, remaining: left, resetSeconds: opensIn } = rateLimit.take(quotaKey);
  ctx.set({
    "RateLimit-Policy": `"default";q=${requests};w=${seconds}`,
    RateLimit: `"default";r=${left};t=${opensIn}`,
  });
  if (isAdmitted) return;
  ctx.set("Retry-After", String(opensIn));
  throw problemError(
    "rate_limited",
    `There were ${requests} requests within ${seconds} s of the sandbox's time, more are not taken. Come again in ${opensIn} s.`,
  );
}
