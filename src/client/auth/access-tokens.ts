import { MEDIA_TYPE } from "../../contract/operations/operation.ts";
import { OPERATIONS } from "../../contract/operations/operations.ts";
import { credentialError, unreachableError } from "../../domain/errors.ts";
import { classifyBody, parseJsonBody } from "../http/classify-body.ts";
import type { ApiResponse } from "../http/response.ts";
import type { RawRequest } from "../request.ts";
import type { Credential, OAuthCredential } from "./credential.ts";

/** Stores an access token beyond the life of a client. The implementation decides when a token is about to expire. */
export interface TokenCache {
  /** Resolves to a valid token or null. */
  read(): Promise<string | null>;
  /** Runs `work` while no other process reads, fetches and saves a token: a new one may end the one before. */
  exclusively<T>(work: (save: SaveToken) => Promise<T>): Promise<T>;
}

/** @param expiresIn seconds; a token of unknown lifetime is not stored, and the one before is removed (interface §5.6) */
type SaveToken = (token: string, expiresIn: number | null) => Promise<void>;

/** The `Authorization` header of requests. For an OAuth client, it fetches a token on first use (interface §5.3). */
export class AccessTokens {
  readonly #request: (client: OAuthCredential) => Promise<ApiResponse>;
  readonly #cache: TokenCache | undefined;
  #token: Promise<string> | null = null;

  /** @param request resolves to the response of the token route, 200 */
  constructor(request: (client: OAuthCredential) => Promise<ApiResponse>, cache: TokenCache | undefined) {
    this.#request = request;
    this.#cache = cache;
  }

  async getAuthorization(credential: Credential | null): Promise<string | null> {
    if (credential === null) return null;
    if (credential.kind === "api_key") return `Bearer ${credential.key}`;
    this.#token ??= this.#resetOnFailure(this.#obtain(credential, null));
    return `Bearer ${await this.#token}`;
  }

  async fetchToken(client: OAuthCredential): Promise<ApiResponse> {
    const { response, token } = await this.#exclusively((save) => this.#fetch(client, save));
    this.#token = Promise.resolve(token);
    return response;
  }

  /** The header after a rejected one, with a new token unless another request has fetched it. Null without tokens. */
  async renewAuthorization(credential: Credential | null, rejected: string | null): Promise<string | null> {
    if (credential?.kind !== "oauth_client") return null;
    const current = this.#token;
    const token = current && (await current);
    if (token !== null && `Bearer ${token}` === rejected && this.#token === current)
      this.#token = this.#resetOnFailure(this.#obtain(credential, token));
    return this.getAuthorization(credential);
  }

  /** Another process may have fetched a token since the rejected one. */
  async #obtain(client: OAuthCredential, rejected: string | null): Promise<string> {
    const cached = await this.#cache?.read();
    if (cached && cached !== rejected) return cached;
    return this.#exclusively(async (save) => {
      const found = await this.#cache?.read();
      return found && found !== rejected ? found : (await this.#fetch(client, save)).token;
    });
  }

  async #fetch(client: OAuthCredential, save: SaveToken) {
    const response = await this.#request(client);
    const { token, expiresIn } = parseTokenResponse(response);
    await save(token, expiresIn);
    return { response, token };
  }

  #exclusively<T>(work: (save: SaveToken) => Promise<T>): Promise<T> {
    return this.#cache ? this.#cache.exclusively(work) : work(async () => {});
  }

  /** After a failure, the next request tries again. */
  #resetOnFailure(token: Promise<string>): Promise<string> {
    return token.catch((error: unknown) => {
      this.#token = null;
      throw error;
    });
  }
}

/** The exchange of client credentials for an access token (interface §5.3). It can be repeated: an unused token is harmless. */
export function buildTokenRequest(client: OAuthCredential): RawRequest {
  const { method, path } = OPERATIONS.oauth.token;
  const body = new URLSearchParams(tokenForm(client)).toString();
  return {
    method,
    path,
    headers: { accept: "application/json" },
    isRepeatable: true,
    body: () => ({ headers: { "content-type": MEDIA_TYPE.form }, body }),
  };
}

export const tokenForm = ({ clientId, clientSecret }: OAuthCredential) => ({
  grant_type: "client_credentials",
  client_id: clientId,
  client_secret: clientSecret,
});

/** @returns `expiresIn` in seconds; null if the service does not say (interface §5.6) */
function parseTokenResponse(response: ApiResponse): {
  readonly token: string;
  readonly expiresIn: number | null;
} {
  const { access_token: token, expires_in } = Object(parseJsonBody(response));
  if (typeof token === "string" && HEADER_TEXT.test(token))
    return { token, expiresIn: parseSeconds(expires_in) };
  const { kind, text } = classifyBody(response);
  if (kind === "page")
    throw unreachableError("unexpected_response", `the token route: expected a token (got ${text})`, {
      hint: "a network or the service shows a page in its place: try again later, and check the base URL",
    });
  throw credentialError("no_access_token", "the token route returned no usable access_token", {
    hint: "check that the base URL is the service itself",
  });
}

/** Characters that a header can contain. A cached token with others would make every later command fail. */
const HEADER_TEXT = /^[\x21-\x7e]+$/;

/** A year. A token that expires earlier than announced is renewed when it is rejected. */
const MAX_TOKEN_LIFETIME_S = 366 * 86_400;

/** Some services send the number as a string. */
function parseSeconds(value: unknown): number | null {
  const seconds = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof seconds === "number" && seconds > 0 ? Math.min(seconds, MAX_TOKEN_LIFETIME_S) : null;
}
