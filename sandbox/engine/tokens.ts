import { addToken, expireToken } from "../store/access-tokens.ts";
import { digestSecret } from "../store/credentials.ts";
import type { EngineCore } from "./core.ts";

/** Sandbox time (product.md §5). */
const TOKEN_LIFETIME_SECONDS = 3600;

/** Access tokens of OAuth clients (interface §5.3). */
export class Tokens {
  readonly #core: EngineCore;

  constructor(core: EngineCore) {
    this.#core = core;
    core.scheduler.handle("token.expire", (tokenDigest) => {
      expireToken(core.store, tokenDigest);
      return null;
    });
  }

  issue(partner: number): { readonly token: string; readonly expiresIn: number } {
    const { store, clock, scheduler, random } = this.#core;
    const token = `at_sandbox_${random.hex("access_token", 24)}`;
    addToken(store, digestSecret(token), partner);
    scheduler.schedule(clock.now() + TOKEN_LIFETIME_SECONDS * 1_000, "token.expire", digestSecret(token));
    return { token, expiresIn: TOKEN_LIFETIME_SECONDS };
  }
}
