import { createHash } from "node:crypto";
import type { Environment } from "../../src/domain/environments.ts";
import type { Store } from "./open.ts";

/** The owner of a credential (product.md §5). All records but webhooks belong to a partner and environment. */
export interface Caller {
  readonly partner: number;
  readonly environment: Environment;
}

/** Secrets are found by their digest, so that no code compares a secret itself. */
export const digestSecret = (secret: string): string => createHash("sha256").update(secret).digest("hex");

export function addPartner(store: Store, id: number): void {
  store.run("INSERT INTO partner (id) VALUES (?)", [id]);
}

/**
 * Managed credentials by the digest of their key. They have no table, because there are three of them and every request
 * needs one.
 */
export class Credentials {
  readonly #callers = new Map<string, Caller>();

  add(key: string, { partner, environment }: Caller): void {
    this.#callers.set(digestSecret(key), { partner, environment });
  }

  /** Gives the owner of the old key a new one. The old key becomes unknown. */
  replace(oldKey: string, newKey: string): Caller {
    const caller = this.#callers.get(digestSecret(oldKey));
    if (!caller) throw new Error("an unknown key cannot be replaced");
    this.#callers.delete(digestSecret(oldKey));
    this.add(newKey, caller);
    return caller;
  }

  find(keyDigest: string): Caller | undefined {
    return this.#callers.get(keyDigest);
  }

  clear(): void {
    this.#callers.clear();
  }

  save(): readonly (readonly [keyDigest: string, caller: Caller])[] {
    return [...this.#callers];
  }

  restore(saved: ReturnType<Credentials["save"]>): void {
    this.clear();
    for (const [keyDigest, caller] of saved) this.#callers.set(keyDigest, caller);
  }
}
