import type { Credential } from "./credential.ts";

/** The `Authorization` of each request; for an OAuth client, a token fetched on first use (interface §5.3). */
export class AccessTokens {
  readonly #fetch: (clientId: string, clientSecret: string) => Promise<string>;
  #token: Promise<string> | null = null;

  constructor(fetch: (clientId: string, clientSecret: string) => Promise<string>) {
    this.#fetch = fetch;
  }

  async authorization(credential: Credential | null): Promise<string | null> {
    if (credential === null) return null;
    if (credential.kind === "api_key") return `Bearer ${credential.key}`;
    this.#token ??= this.#fetch(credential.clientId, credential.clientSecret).catch((error: unknown) => {
      this.#token = null;
      throw error;
    });
    return `Bearer ${await this.#token}`;
  }

  /** Drops a token that was refused. False where there is nothing that could be fetched anew. */
  forget(credential: Credential | null): boolean {
    if (credential?.kind !== "oauth_client") return false;
    this.#token = null;
    return true;
  }
}
