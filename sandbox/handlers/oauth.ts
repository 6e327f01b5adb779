import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import type { Engine } from "../engine/engine.ts";
import { digestSecret } from "../store/credentials.ts";
import { findOAuthClient, type OAuthClient } from "../store/oauth-clients.ts";
import { tokenError } from "../wire/problem-error.ts";
import type { FormFields, HandlersOf } from "./handler.ts";

export const oauth = {
  token({ body, header }, engine) {
    rejectRepeatedParameters(body);
    const grant = readParameter(body, "grant_type");
    if (grant === null) throw tokenError("invalid_request", "grant_type is missing.");
    const client = authenticate(body, header("authorization"), engine);
    if (grant !== "client_credentials") {
      throw tokenError("unsupported_grant_type", "The only grant_type here is client_credentials.");
    }
    if (!client.approved) {
      throw tokenError("unauthorized_client", "This client is not approved for sandbox tokens.");
    }
    if (readParameter(body, "scope") !== null) {
      throw tokenError("invalid_scope", "This service has no scopes; leave scope out.");
    }
    const { token, expiresIn } = engine.tokens.issue(client.partner);
    return { json: { access_token: token, token_type: "Bearer" as const, expires_in: expiresIn } };
  },
} satisfies HandlersOf<"oauth">;

/** RFC 6749 §3.2: no parameter may be there twice, an unknown one neither. */
function rejectRepeatedParameters(form: FormFields): void {
  for (const [name, { length }] of form) {
    if (length > 1) throw tokenError("invalid_request", `${name}: given more than once.`);
  }
}

/** RFC 6749 §3.2: a parameter without a value counts as absent. */
const readParameter = (form: FormFields, name: string): string | null => form.get(name)?.[0] || null;

interface ClientCredentials {
  readonly id: string;
  readonly secret: string;
}

function authenticate(form: FormFields, authorization: string, { store }: Engine): OAuthClient {
  const { id, secret } = readCredentials(form, authorization);
  const client = findOAuthClient(store, id);
  const right = timingSafeEqual(
    Buffer.from(digestSecret(secret)),
    Buffer.from(client?.secretDigest ?? digestSecret("no such client")),
  );
  if (!client || !right) throw tokenError("invalid_client", "The client id or the client secret is wrong.");
  return client;
}

/** RFC 6749 §2.3.1: HTTP Basic or the form, never both. */
function readCredentials(form: FormFields, authorization: string): ClientCredentials {
  const id = readParameter(form, "client_id");
  const secret = readParameter(form, "client_secret");
  if (authorization !== "") {
    const basic = readBasic(authorization);
    if (secret !== null || (id !== null && id !== basic.id)) {
      throw tokenError(
        "invalid_request",
        "Send the client's credentials in the header or in the form, not both.",
      );
    }
    return basic;
  }
  if (id === null && secret === null) {
    throw tokenError("invalid_client", "The request names no client: send client_id and client_secret.");
  }
  if (id === null) throw tokenError("invalid_request", "client_id is missing.");
  if (secret === null) throw tokenError("invalid_request", "client_secret is missing.");
  return { id, secret };
}

function readBasic(authorization: string): ClientCredentials {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(authorization) ?? [];
  const text = Buffer.from(encoded ?? "", "base64").toString();
  const colon = text.indexOf(":");
  if (colon === -1) throw tokenError("invalid_client", "The Authorization header is not HTTP Basic.");
  return { id: decodeFormValue(text.slice(0, colon)), secret: decodeFormValue(text.slice(colon + 1)) };
}

// Id and secret are form-encoded before they are joined (RFC 6749 §2.3.1).
function decodeFormValue(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw tokenError("invalid_client", "The Basic credentials are not form-encoded.");
  }
}
