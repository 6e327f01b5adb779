import { createHash } from "node:crypto";
import type { Environment } from "../../src/domain/environments.ts";

/** The owner of a credential (product.md §5). All records but webhooks belong to a partner and environment. */
export interface Caller {
  readonly partner: number;
  readonly environment: Environment;
}

/** Secrets are found by their digest, so that no code compares a secret itself. */
export const digestSecret = (secret: string): string => createHash("sha256").update(secret).digest("hex");

export type Credentials = ReturnType<typeof createCredentials>;

/** Managed credentials by the digest of their key (interface §5.1), without a table: every request needs one of three. */
export function createCredentials() {
  const callers = new Map<string, Caller>();
  return {
    add(key: string, caller: Caller): void {
      callers.set(digestSecret(key), caller);
    },

    /** Gives the owner of the old key a new one. The old key becomes unknown. */
    replace(oldKey: string, newKey: string): Caller {
      const caller = callers.get(digestSecret(oldKey));
      if (!caller) throw new Error("an unknown key cannot be replaced");
      callers.delete(digestSecret(oldKey));
      callers.set(digestSecret(newKey), caller);
      return caller;
    },

    find: (keyDigest: string): Caller | undefined => callers.get(keyDigest),

    clear: () => callers.clear(),

    save: (): readonly (readonly [keyDigest: string, caller: Caller])[] => [...callers],

    restore(saved: Iterable<readonly [keyDigest: string, caller: Caller]>): void {
      callers.clear();
      for (const [keyDigest, caller] of saved) callers.set(keyDigest, caller);
    },
  };
}
