import { MEDIA_TYPE } from "../contract/operation.ts";
import { OPERATIONS } from "../contract/operations.ts";
import type { OAuthClient } from "./access-tokens.ts";
import { type RehearsedBody, VARIABLE_OF } from "./rehearsal.ts";
import type { RawRequest } from "./request.ts";

/** The exchange of client credentials for an access token (interface §5.3). */
export function tokenRequest(client: OAuthClient): RawRequest {
  const { method, path } = OPERATIONS.oauth.token;
  const body = new URLSearchParams(formOf(client)).toString();
  return {
    method,
    path,
    headers: { accept: "application/json" },
    // A token that nobody received does no harm.
    repeatable: true,
    body: () => ({ headers: { "content-type": MEDIA_TYPE.form }, body }),
  };
}

export const rehearsedToken = (client: OAuthClient): RehearsedBody => ({
  kind: "form",
  fields: formOf({ ...client, clientSecret: VARIABLE_OF.oauth_client }),
});

const formOf = ({ clientId, clientSecret }: OAuthClient) => ({
  grant_type: "client_credentials",
  client_id: clientId,
  client_secret: clientSecret,
});
