import type { Store } from "./open.ts";

export interface AccessToken {
  readonly partner: number;
  readonly expiresAt: number;
}

export function addToken(store: Store, tokenDigest: string, token: AccessToken): void {
  store.run("INSERT INTO access_token (digest, partner, expires_at) VALUES (?, ?, ?)", [
    tokenDigest,
    token.partner,
    token.expiresAt,
  ]);
}

/** Also an expired one: its holder is told that it expired. */
export function findToken(store: Store, tokenDigest: string): AccessToken | undefined {
  const row = store.get("SELECT partner, expires_at FROM access_token WHERE digest = ?", [tokenDigest]);
  if (!row) return undefined;
  const [partner, expiresAt] = row as [number, number];
  return { partner, expiresAt };
}
