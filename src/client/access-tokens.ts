import type { Buffer } from "node:buffer";
import { ClaimsError } from "../domain/errors.ts";
import type { Answer } from "./answer.ts";
import type { Credential } from "./credential.ts";
import type { TokenCache } from "./token-cache.ts";

export type OAuthClient = Extract<Credential, { kind: "oauth_client" }>;

/** The `Authorization` of each request; for an OAuth client, a token fetched on first use (interface §5.3). */
export class AccessTokens {
  readonly #ask: (client: OAuthClient) => Promise<Answer>;
  readonly #cache: TokenCache | undefined;
  #token: Promise<string> | null = null;

  /** @param ask resolves to the answer of the token route, in the 200s */
  constructor(ask: (client: OAuthClient) => Promise<Answer>, cache: TokenCache | undefined) {
    this.#ask = ask;
    this.#cache = cache;
  }

  async authorization(credential: Credential | null): Promise<string | null> {
    if (credential === null) return null;
    if (credential.kind === "api_key") return `Bearer ${credential.key}`;
    this.#token ??= this.#held(this.#obtain(credential));
    return `Bearer ${await this.#token}`;
  }

  /** Fetches a token, whatever is cached, and keeps it. */
  async fetch(client: OAuthClient): Promise<Answer> {
    const answer = await this.#ask(client);
    const { token, expiresIn } = readGrant(answer.body);
    if (expiresIn !== null) await this.#cache?.write(token, expiresIn);
    this.#token = Promise.resolve(token);
    return answer;
  }

  /**
   * The `Authorization` after one was refused, with another token unless a request beside this one has fetched it
   * already. Null where there is nothing that could be fetched anew.
   */
  async renewal(credential: Credential | null, refused: string | null): Promise<string | null> {
    if (credential?.kind !== "oauth_client") return null;
    const held = this.#token;
    const token = held && (await held);
    if (token !== null && `Bearer ${token}` === refused && this.#token === held) {
      this.#token = this.#held(this.#replace(credential, token));
    }
    return this.authorization(credential);
  }

  async #obtain(client: OAuthClient): Promise<string> {
    return (await this.#cache?.read()) ?? readGrant((await this.fetch(client)).body).token;
  }

  async #replace(client: OAuthClient, refused: string): Promise<string> {
    await this.#cache?.forget(refused);
    return readGrant((await this.fetch(client)).body).token;
  }

  /** A token that could not be had is asked for again by the next request. */
  #held(token: Promise<string>): Promise<string> {
    return token.catch((error: unknown) => {
      this.#token = null;
      throw error;
    });
  }
}

interface Grant {
  readonly token: string;
  /** Seconds; null where the service does not say (interface §5.6). */
  readonly expiresIn: number | null;
}

function readGrant(body: Buffer): Grant {
  try {
    const { access_token: token, expires_in } = JSON.parse(body.toString("utf8")) as Record<string, unknown>;
    if (typeof token === "string" && TOKEN.test(token)) return { token, expiresIn: secondsIn(expires_in) };
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
const TOKEN = /^[\x21-\x7e]+$/;

/** A year in seconds; a token that is said to last longer is found out when it is refused. */
const LONGEST_LIFE = 366 * 86_400;

/** Some services write the number as a string. */
function secondsIn(value: unknown): number | null {
  const seconds = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof seconds === "number" && seconds > 0 ? Math.min(seconds, LONGEST_LIFE) : null;
}
