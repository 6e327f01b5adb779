import type { Context } from "koa";
import type { Engine } from "../../engine/engine.ts";
import { findToken } from "../../store/access-tokens.ts";
import { type Caller, digestSecret } from "../../store/credentials.ts";
import { parseBearerToken } from "../../wire/bearer.ts";
import { type ProblemError, problemError } from "../../wire/problem-error.ts";

const CHALLENGE = 'Bearer realm="claims"';

/** Who asks (interface §5). Throws the 401 of RFC 6750 §3. */
export function authenticate(ctx: Context, legacy: boolean, engine: Engine): Caller {
  const apiKey = ctx.get("X-API-Key");
  if (apiKey !== "" && !legacy) throw apiKeyRefused();
  const authorization = ctx.get("Authorization");
  if (authorization === "" && apiKey !== "") return findManagedCaller(engine, apiKey);
  const token = parseBearerToken(authorization);
  if (token === undefined) throw credentialMissing(authorization, legacy);
  return engine.apiKeys.find(digestSecret(token)) ?? findTokenCaller(engine, token);
}

/** Interface §5.2: the header takes the managed credential, not an access token. */
function findManagedCaller(engine: Engine, apiKey: string): Caller {
  const caller = engine.apiKeys.find(digestSecret(apiKey));
  if (!caller) throw credentialInvalid("The API key in X-API-Key is not known here.");
  return caller;
}

function findTokenCaller({ store }: Engine, token: string): Caller {
  const known = findToken(store, digestSecret(token));
  if (!known)
    throw credentialInvalid(
      "The bearer credential is neither an API key nor an access token of this sandbox.",
    );
  if (known.hasExpired) throw credentialInvalid("The access token has expired. Fetch a new one.");
  return { partner: known.partner, environment: "sandbox" };
}

// RFC 6750 §3.1: no error code when the request brought no credential at all.
function credentialMissing(authorization: string, legacy: boolean): ProblemError {
  const ways = legacy ? "Authorization: Bearer or X-API-Key" : "Authorization: Bearer";
  const detail =
    authorization === ""
      ? `The request has no credential. Send it as ${ways}.`
      : `The Authorization header is not a bearer credential. Send it as ${ways}.`;
  return problemError("credential_missing", detail, { headers: { "WWW-Authenticate": CHALLENGE } });
}

function credentialInvalid(detail: string): ProblemError {
  const challenge = `${CHALLENGE}, error="invalid_token", error_description="${detail}"`;
  return problemError("credential_invalid", detail, { headers: { "WWW-Authenticate": challenge } });
}

function apiKeyRefused(): ProblemError {
  const detail =
    "X-API-Key is accepted on the compatibility paths of diligence only. Send the key as Authorization: Bearer.";
  return problemError("api_key_header_refused", detail, { headers: { "WWW-Authenticate": CHALLENGE } });
}
