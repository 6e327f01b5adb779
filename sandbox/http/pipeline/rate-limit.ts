import type { Engine } from "../../engine/engine.ts";
import { digestSecret } from "../../store/credentials.ts";
import { parseBearerToken } from "../../wire/bearer.ts";
import { problemError } from "../../wire/problem-error.ts";
import type { RequestContext } from "../request-state.ts";

/** Counts a request for its credential. */
export function limitCredential(ctx: RequestContext, engine: Engine): void {
  if (engine.rateLimit)
    countRequest(
      ctx,
      engine,
      digestSecret(parseBearerToken(ctx.get("Authorization")) ?? ctx.get("X-API-Key")),
    );
}

/** Counts a request without a valid credential for its address: one for a token, or to a path that is no route. */
export function limitAddress(ctx: RequestContext, engine: Engine): void {
  if (engine.rateLimit) countRequest(ctx, engine, `address ${ctx.req.socket.remoteAddress}`);
}

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers-10. */
function countRequest(ctx: RequestContext, { rateLimit }: Engine, quotaKey: string): void {
  if (!rateLimit) return;
  const { requests, seconds } = rateLimit.quota;
  const { isAdmitted, remaining, resetSeconds } = rateLimit.take(quotaKey);
  ctx.set({
    "RateLimit-Policy": `"default";q=${requests};w=${seconds}`,
    RateLimit: `"default";r=${remaining};t=${resetSeconds}`,
  });
  if (isAdmitted) return;
  ctx.set("Retry-After", String(resetSeconds));
  throw problemError(
    "rate_limited",
    `More than ${requests} requests within ${seconds} s of the sandbox's time. Try again in ${resetSeconds} s.`,
  );
}
