import type { Engine } from "../../engine/engine.ts";
import { type Caller, digestSecret } from "../../store/credentials.ts";
import { ACCESS_TOKENS } from "../../store/oauth-clients.ts";
import { parseBearerToken } from "../../wire/bearer.ts";
import { ProblemError, problemError, tokenError } from "../../wire/problem-error.ts";
import type { RouteContext, Step } from "../request-state.ts";

/**
 * Finds the caller (interface §5), or throws the 401 of RFC 6750 §3. A request with an unknown credential counts towards
 * the rate limit of its address: otherwise each guess would have its own limit.
 */
export const authenticate =
  (engine: Engine, acceptsApiKey: boolean): Step =>
  (ctx, next) => {
    let caller: Caller;
    try {
      caller = findCaller(ctx, acceptsApiKey, engine);
    } catch (error) {
      limitAddress(ctx, engine);
      throw error;
    }
    const credential = parseBearerToken(ctx.get("Authorization")) ?? ctx.get("X-API-Key");
    countRequest(ctx, engine, () => digestSecret(credential));
    ctx.state.caller = caller;
    return next();
  };

/** Refuses a credential of production before the request is read any further (interface §5.5). */
export const requireSandbox: Step = ({ state }, next) => {
  if (state.caller?.environment === "sandbox") return next();
  const detail = "Test events are for the sandbox: send a sandbox credential, not a production one.";
  throw problemError("wrong_environment", detail);
};

/** RFC 6749 §5: nothing is cached, and every refusal has the shape of §5.2. */
export const tokenEndpoint =
  (engine: Engine): Step =>
  async (ctx, next) => {
    ctx.set({ "Cache-Control": "no-store", Pragma: "no-cache" });
    try {
      limitAddress(ctx, engine);
      if (hasTwoCredentials(ctx)) throw tokenError("invalid_client", TWO_CREDENTIALS);
      await next();
    } catch (error) {
      const isOther = error instanceof ProblemError && !error.isOAuth;
      throw isOther ? tokenError("invalid_request", error.message, error.status) : error;
    }
  };

/** Counts a request without a valid credential for its address, also one for a token or to an unknown path. */
export const limitAddress = (ctx: RouteContext, engine: Engine): void =>
  countRequest(ctx, engine, () => `address ${ctx.req.socket.remoteAddress}`);

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers-10. */
function countRequest(ctx: RouteContext, { rateLimit }: Engine, keyOf: () => string): void {
  if (!rateLimit) return;
  const { requests, seconds } = rateLimit.quota;
  const { isAdmitted, remaining, resetSeconds } = rateLimit.take(keyOf());
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

function findCaller(ctx: RouteContext, acceptsApiKey: boolean, engine: Engine): Caller {
  if (hasTwoCredentials(ctx))
    throw createUnauthorizedError("credentials_differ", TWO_CREDENTIALS, ', error="invalid_request"');
  const apiKey = ctx.get("X-API-Key");
  const authorization = ctx.get("Authorization");
  if (authorization === "" && apiKey !== "") {
    if (!acceptsApiKey) throw createUnauthorizedError("api_key_header_refused", API_KEY_REFUSED);
    // Interface §5.2: this header takes the managed credential, not an access token.
    const caller = engine.apiKeys.find(digestSecret(apiKey));
    return caller ?? refuseCredential("The API key in X-API-Key is not known here.");
  }
  const token = parseBearerToken(authorization);
  if (token === undefined)
    throw createUnauthorizedError("credential_missing", describeMissing(authorization, acceptsApiKey));
  return engine.apiKeys.find(digestSecret(token)) ?? findTokenCaller(engine, token);
}

/** A key in X-API-Key that is also the bearer credential says nothing new (product.md §5). */
function hasTwoCredentials(ctx: RouteContext): boolean {
  const [apiKey, authorization] = [ctx.get("X-API-Key"), ctx.get("Authorization")];
  return apiKey !== "" && authorization !== "" && parseBearerToken(authorization) !== apiKey;
}

const TWO_CREDENTIALS = "Authorization and X-API-Key have different credentials. Send one of them.";

function findTokenCaller({ store }: Engine, token: string): Caller {
  const known = ACCESS_TOKENS.find(store, { digest: digestSecret(token) });
  const detail = "The bearer credential is neither an API key nor an access token of this sandbox.";
  if (!known) return refuseCredential(detail);
  if (known.hasExpired) return refuseCredential("The access token has expired. Fetch a new one.");
  return { partner: known.partner, environment: "sandbox" };
}

const API_KEY_REFUSED =
  "X-API-Key is accepted on the compatibility paths of diligence only. Send the key as Authorization: Bearer.";

function describeMissing(authorization: string, acceptsApiKey: boolean): string {
  const ways = acceptsApiKey ? "Authorization: Bearer or X-API-Key" : "Authorization: Bearer";
  return authorization === ""
    ? `The request has no credential. Send it as ${ways}.`
    : `The Authorization header is not a bearer credential. Send it as ${ways}.`;
}

/** RFC 6750 §3.1: an error code only where the request has a credential. */
function refuseCredential(detail: string): never {
  const error = `, error="invalid_token", error_description="${detail}"`;
  throw createUnauthorizedError("credential_invalid", detail, error);
}

const createUnauthorizedError = (
  code: "api_key_header_refused" | "credential_missing" | "credential_invalid" | "credentials_differ",
  detail: string,
  error = "",
): ProblemError =>
  problemError(code, detail, { headers: { "WWW-Authenticate": `Bearer realm="claims"${error}` } });
