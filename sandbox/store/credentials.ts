import { createHash } from "node:crypto";
import type { Store } from "./open.ts";

export type Environment = "sandbox" | "production";

/** Who asks, as the credential says (product.md §5): everything but webhooks belongs to partner + environment. */
export interface Caller {
  readonly partner: number;
  readonly environment: Environment;
}

/** Secrets are looked up by this, so that no comparison ever runs over a secret itself. */
export const digestSecret = (secret: string): string => createHash("sha256").update(secret).digest("hex");

export function addPartner(store: Store, id: number): void {
  store.run("INSERT INTO partner (id) VALUES (?)", [id]);
}

/** Managed credentials, by the digest of the key. There are three of them, and every request asks for one: no table. */
export class Credentials {
  readonly #known = new Map<string, Caller>();

  add(key: string, { partner, environment }: Caller): void {
    this.#known.set(digestSecret(key), { partner, environment });
  }

  /** The new key is whose the old one was, which is known no more. */
  replace(oldKey: string, newKey: string): Caller {
    const caller = this.#known.get(digestSecret(oldKey));
    if (!caller) throw new Error("a key that is not known cannot be replaced");
    this.#known.delete(digestSecret(oldKey));
    this.add(newKey, caller);
    return caller;
  }

  find(keyDigest: string): Caller | undefined {
    return this.#known.get(keyDigest);
  }

  clear(): void {
    this.#known.clear();
  }

  /** By the digests of the keys. */
  save(): readonly (readonly [keyDigest: string, caller: Caller])[] {
    return [...this.#known];
  }

  restore(saved: ReturnType<Credentials["save"]>): void {
    this.clear();
    for (const [keyDigest, caller] of saved) this.#known.set(keyDigest, caller);
  }
}
