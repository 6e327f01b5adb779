import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { digestSecret } from "../store/credentials.ts";
import { OAUTH_CLIENTS, type OAuthClient } from "../store/oauth-clients.ts";
import type { Store } from "../store/store.ts";
import { tokenError } from "../wire/problem-error.ts";
import type { FormBody, HandlersOf } from "./handler.ts";

export const oauth = {
  token({ body, header }, { store, tokens }) {
    // RFC 6749 §3.2: no parameter may occur twice, not even an unknown one.
    const { fields, repeated } = body;
    if (repeated !== null) throw tokenError("invalid_request", `${repeated}: given more than once.`);
    const grant = readParameter(fields, "grant_type");
    if (grant === null) throw tokenError("invalid_request", "grant_type is missing.");
    const client = authenticate(store, readCredentials(fields, header("authorization")));
    if (grant !== "client_credentials")
      throw tokenError("unsupported_grant_type", "The only grant_type here is client_credentials.");
    if (!client.approved)
      throw tokenError("unauthorized_client", "This client is not approved for sandbox tokens.");
    if (readParameter(fields, "scope") !== null)
      throw tokenError("invalid_scope", "This service has no scopes; leave scope out.");
    const { token, expiresIn } = tokens.issue(client.partner);
    return { json: { access_token: token, token_type: "Bearer" as const, expires_in: expiresIn } };
  },
} satisfies HandlersOf<"oauth">;

/** RFC 6749 §3.2: a parameter without a value counts as absent. */
const readParameter = (fields: FormBody["fields"], name: string): string | null => fields[name] || null;

interface ClientCredentials {
  readonly id: string;
  readonly secret: string;
}

function authenticate(store: Store, { id, secret }: ClientCredentials): OAuthClient {
  const client = OAUTH_CLIENTS.find(store, { id });
  const expected = client?.secretDigest ?? digestSecret("no such client");
  const isEqual = timingSafeEqual(Buffer.from(digestSecret(secret)), Buffer.from(expected));
  if (client && isEqual) return client;
  throw tokenError("invalid_client", "The client id or the client secret is wrong.");
}

/** RFC 6749 §2.3.1: HTTP Basic or the form, never both. */
function readCredentials(fields: FormBody["fields"], authorization: string): ClientCredentials {
  const id = readParameter(fields, "client_id");
  const secret = readParameter(fields, "client_secret");
  if (authorization !== "") {
    const basic = readBasic(authorization);
    if (secret === null && (id === null || id === basic.id)) return basic;
    const detail = "Send the client's credentials in the header or in the form, not both.";
    throw tokenError("invalid_request", detail);
  }
  if (id === null && secret === null)
    throw tokenError("invalid_client", "The request names no client: send client_id and client_secret.");
  if (id === null) throw tokenError("invalid_request", "client_id is missing.");
  // RFC 6749 §5.2: "no client authentication included".
  if (secret === null) throw tokenError("invalid_client", "client_secret is missing.");
  return { id, secret };
}

/** Id and secret are form-encoded before they are joined (RFC 6749 §2.3.1). */
function readBasic(authorization: string): ClientCredentials {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(authorization) ?? [];
  const text = Buffer.from(encoded ?? "", "base64").toString();
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  if (id === undefined || secret === undefined)
    throw tokenError("invalid_client", "The Authorization header is not HTTP Basic.");
  return { id: decodeFormValue(id), secret: decodeFormValue(secret) };
}

function decodeFormValue(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw tokenError("invalid_client", "The Basic credentials are not form-encoded.");
  }
}
