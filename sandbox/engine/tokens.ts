import { addToken, expireToken } from "../store/access-tokens.ts";
import { digestSecret } from "../store/credentials.ts";
import type { Store } from "../store/open.ts";
import type { RandomSource } from "./random.ts";
import type { Clock } from "./scheduler/clock.ts";
import type { Scheduler } from "./scheduler/scheduler.ts";

/** Seconds of sandbox time (product.md §5). */
const TOKEN_LIFETIME_SECONDS = 3600;

interface TokensOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: RandomSource;
}

/** Access tokens of OAuth clients (interface §5.3). That one expires is a row of the agenda, as all that waits is. */
export class Tokens {
  readonly #options: TokensOptions;

  constructor(options: TokensOptions) {
    this.#options = options;
    options.scheduler.handle("token.expire", (tokenDigest) => {
      expireToken(options.store, tokenDigest);
      return null;
    });
  }

  issue(partner: number): { readonly token: string; readonly expiresIn: number } {
    const { store, clock, scheduler, random } = this.#options;
    const token = `at_sandbox_${random.hex("access_token", 24)}`;
    addToken(store, digestSecret(token), partner);
    scheduler.schedule(clock.now() + TOKEN_LIFETIME_SECONDS * 1_000, "token.expire", digestSecret(token));
    return { token, expiresIn: TOKEN_LIFETIME_SECONDS };
  }
}
