import { isRecord } from "../../domain/json.ts";

/** See interface §5. An OAuth client exchanges its credential for access tokens. */
export type Credential =
  | { readonly kind: "api_key"; readonly key: string }
  | { readonly kind: "oauth_client"; readonly clientId: string; readonly clientSecret: string };

export type OAuthCredential = Extract<Credential, { kind: "oauth_client" }>;

export function isCredential(value: unknown): value is Credential {
  const { kind, key, clientId, clientSecret }: Record<string, unknown> = isRecord(value) ? value : {};
  if (kind === "api_key") return typeof key === "string";
  return kind === "oauth_client" && typeof clientId === "string" && typeof clientSecret === "string";
}

export const secretOf = (credential: Credential): string =>
  credential.kind === "api_key" ? credential.key : credential.clientSecret;

/** Redacting a shorter secret would redact ordinary words. */
export const MIN_SECRET_LENGTH = 8;
