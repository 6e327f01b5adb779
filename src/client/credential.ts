/** What proves who we are (interface §5). An access token is what an OAuth client was given. */
export type Credential =
  | { readonly kind: "api_key"; readonly key: string }
  | { readonly kind: "oauth_client"; readonly clientId: string; readonly clientSecret: string };
