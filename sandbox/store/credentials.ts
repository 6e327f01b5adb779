import { createHash } from "node:crypto";
import type { Store } from "./open.ts";

export type Environment = "sandbox" | "production";

/** Who asks, as the credential says (product.md §5): everything but webhooks belongs to partner + environment. */
export interface Caller {
  readonly partner: number;
  readonly environment: Environment;
}

/** Secrets are looked up by this, so that no comparison ever runs over a secret itself. */
export const digest = (secret: string): string => createHash("sha256").update(secret).digest("hex");

export function addPartner(store: Store, id: number, name: string): void {
  store.run("INSERT INTO partner (id, name) VALUES (?, ?)", [id, name]);
}

/** Managed credentials. They never change while a sandbox runs, so a known one costs no query. */
export class Credentials {
  readonly #store: Store;
  readonly #known = new Map<string, Caller>();

  constructor(store: Store) {
    this.#store = store;
  }

  add(key: string, { partner, environment }: Caller): void {
    const keyDigest = digest(key);
    this.#store.run("INSERT INTO credential (digest, partner, environment) VALUES (?, ?, ?)", [
      keyDigest,
      partner,
      environment,
    ]);
    this.#known.set(keyDigest, { partner, environment });
  }

  find(keyDigest: string): Caller | undefined {
    return this.#known.get(keyDigest);
  }
}
