import { ACCESS_TOKENS } from "../store/access-tokens.ts";
import { digestSecret } from "../store/credentials.ts";
import type { EngineCore } from "./core.ts";

/** Sandbox time (product.md §5). */
const TOKEN_LIFETIME_SECONDS = 3600;

/** Access tokens of OAuth clients (interface §5.3). */
export function createTokens({ store, clock, scheduler, random }: EngineCore) {
  scheduler.handle("token.expire", (digest) => {
    ACCESS_TOKENS.update(store, { digest }, { hasExpired: true });
    return null;
  });
  return {
    issue(partner: number): { readonly token: string; readonly expiresIn: number } {
      const token = `at_sandbox_${random.hex("access_token", 24)}`;
      const digest = digestSecret(token);
      ACCESS_TOKENS.insert(store, { digest, partner });
      scheduler.schedule(clock.now() + TOKEN_LIFETIME_SECONDS * 1_000, "token.expire", digest);
      return { token, expiresIn: TOKEN_LIFETIME_SECONDS };
    },
  };
}
