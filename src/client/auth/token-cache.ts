/** Where an access token outlives a command. Whoever implements it decides for how long before its end it is still good. */
export interface TokenCache {
  /** The token, or null where there is none that is still good. */
  read(): Promise<string | null>;
  /** @param expiresIn seconds; a token of unknown life (interface §5.6) is never written */
  write(token: string, expiresIn: number): Promise<void>;
  /** That token was refused; one that another process has put there since stays. */
  forget(token: string): Promise<void>;
}
