import type { Store } from "./open.ts";

export interface AccessToken {
  readonly partner: number;
  readonly hasExpired: boolean;
}

export function addToken(store: Store, tokenDigest: string, partner: number): void {
  store.run("INSERT INTO access_token (digest, partner) VALUES (?, ?)", [tokenDigest, partner]);
}

export function expireToken(store: Store, tokenDigest: string): void {
  store.run("UPDATE access_token SET expired = 1 WHERE digest = ?", [tokenDigest]);
}

/** Also an expired one: its holder is told that it expired. */
export function findToken(store: Store, tokenDigest: string): AccessToken | undefined {
  const row = store.get("SELECT partner, expired FROM access_token WHERE digest = ?", [tokenDigest]);
  if (!row) return undefined;
  const [partner, expired] = row as [number, number];
  return { partner, hasExpired: expired === 1 };
}
