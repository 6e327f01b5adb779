/** What proves who we are (interface §5). An access token is what an OAuth client was given. */
export type Credential =
  | { readonly kind: "api_key"; readonly key: string }
  | { readonly kind: "oauth_client"; readonly clientId: string; readonly clientSecret: string };

/** The part of it that nobody else may see. */
export const secretOf = (credential: Credential): string =>
  credential.kind === "api_key" ? credential.key : credential.clientSecret;

/** A shorter secret would blank out ordinary words; no credential worth its name is that short. */
export const MIN_SECRET_LENGTH = 8;
