import { digestSecret } from "./credentials.ts";
import type { Store } from "./open.ts";

export interface OAuthClient {
  readonly id: string;
  readonly secretDigest: string;
  readonly partner: number;
  readonly approved: boolean;
}

export function addOAuthClient(
  store: Store,
  client: { id: string; secret: string; partner: number; approved: boolean },
): void {
  store.run("INSERT INTO oauth_client (id, secret_digest, partner, approved) VALUES (?, ?, ?, ?)", [
    client.id,
    digestSecret(client.secret),
    client.partner,
    client.approved ? 1 : 0,
  ]);
}

export function findOAuthClient(store: Store, id: string): OAuthClient | undefined {
  const row = store.get("SELECT secret_digest, partner, approved FROM oauth_client WHERE id = ?", [id]);
  if (!row) return undefined;
  const [secretDigest, partner, approved] = row as [string, number, number];
  return { id, secretDigest, partner, approved: approved === 1 };
}
