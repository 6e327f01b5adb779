import type { Buffer } from "node:buffer";
import { ClaimsError } from "../../domain/errors.ts";
import type { ApiResponse } from "../http/response.ts";
import type { Credential } from "./credential.ts";
import type { TokenCache } from "./token-cache.ts";

export type OAuthCredential = Extract<Credential, { kind: "oauth_client" }>;

/** The `Authorization` of each request; for an OAuth client, a token fetched on first use (interface §5.3). */
export class AccessTokens {
  readonly #request: (client: OAuthCredential) => Promise<ApiResponse>;
  readonly #cache: TokenCache | undefined;
  #token: Promise<string> | null = null;

  /** @param ask resolves to the answer of the token route, in the 200s */
  constructor(ask: (client: OAuthCredential) => Promise<ApiResponse>, cache: TokenCache | undefined) {
    this.#request = ask;
    this.#cache = cache;
  }

  async getAuthorization(credential: Credential | null): Promise<string | null> {
    if (credential === null) return null;
    if (credential.kind === "api_key") return `Bearer ${credential.key}`;
    this.#token ??= this.#resetOnFailure(this.#obtain(credential));
    return `Bearer ${await this.#token}`;
  }

  /** Fetches a token, whatever is cached, and keeps it. */
  async fetchToken(client: OAuthCredential): Promise<ApiResponse> {
    const answer = await this.#request(client);
    const { token, expiresIn } = parseTokenGrant(answer.body);
    if (expiresIn !== null) await this.#cache?.write(token, expiresIn);
    this.#token = Promise.resolve(token);
    return answer;
  }

  /**
   * The `Authorization` after one was refused, with another token unless a request beside this one has fetched it
   * already. Null where there is nothing that could be fetched anew.
   */
  async renewAuthorization(credential: Credential | null, refused: string | null): Promise<string | null> {
    if (credential?.kind !== "oauth_client") return null;
    const current = this.#token;
    const token = current && (await current);
    if (token !== null && `Bearer ${token}` === refused && this.#token === current) {
      this.#token = this.#resetOnFailure(this.#replace(credential, token));
    }
    return this.getAuthorization(credential);
  }

  async #obtain(client: OAuthCredential): Promise<string> {
    return (await this.#cache?.read()) ?? parseTokenGrant((await this.fetchToken(client)).body).token;
  }

  async #replace(client: OAuthCredential, refused: string): Promise<string> {
    await this.#cache?.forget(refused);
    return parseTokenGrant((await this.fetchToken(client)).body).token;
  }

  /** A token that could not be had is asked for again by the next request. */
  #resetOnFailure(token: Promise<string>): Promise<string> {
    return token.catch((error: unknown) => {
      this.#token = null;
      throw error;
    });
  }
}

interface TokenGrant {
  readonly token: string;
  /** Seconds; null where the service does not say (interface §5.6). */
  readonly expiresIn: number | null;
}

function parseTokenGrant(body: Buffer): TokenGrant {
  try {
    const { access_token: token, expires_in } = JSON.parse(body.toString("utf8")) as Record<string, unknown>;
    if (typeof token === "string" && TOKEN_PATTERN.test(token))
      return { token, expiresIn: parseSeconds(expires_in) };
  } catch {
    // Said below: not JSON is one more way of having no token.
  }
  throw new ClaimsError(
    "credential",
    "no_access_token",
    "the token route answered without an access_token that can be sent",
    {
      hint: "check that the base URL is the service itself",
    },
  );
}

/** What can stand in a header: a token of anything else would be kept, and refused by every command to come. */
const TOKEN_PATTERN = /^[\x21-\x7e]+$/;

/** A year in seconds; a token that is said to last longer is found out when it is refused. */
const MAX_TOKEN_LIFETIME_S = 366 * 86_400;

/** Some services write the number as a string. */
function parseSeconds(value: unknown): number | null {
  const seconds = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof seconds === "number" && seconds > 0 ? Math.min(seconds, MAX_TOKEN_LIFETIME_S) : null;
}
