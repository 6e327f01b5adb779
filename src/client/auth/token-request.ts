import { MEDIA_TYPE } from "../../contract/operation.ts";
import { OPERATIONS } from "../../contract/operations.ts";
import { type DryRunBody, SECRET_VARIABLES } from "../dry-run.ts";
import type { RawRequest } from "../request.ts";
import type { OAuthCredential } from "./access-tokens.ts";

/** The exchange of client credentials for an access token (interface §5.3). */
export function buildTokenRequest(client: OAuthCredential): RawRequest {
  const { method, path } = OPERATIONS.oauth.token;
  const body = new URLSearchParams(tokenForm(client)).toString();
  return {
    method,
    path,
    headers: { accept: "application/json" },
    // A token that nobody received does no harm.
    isRepeatable: true,
    body: () => ({ headers: { "content-type": MEDIA_TYPE.form }, body }),
  };
}

export const describeTokenRequest = (client: OAuthCredential): DryRunBody => ({
  kind: "form",
  fields: tokenForm({ ...client, clientSecret: SECRET_VARIABLES.oauth_client }),
});

const tokenForm = ({ clientId, clientSecret }: OAuthCredential) => ({
  grant_type: "client_credentials",
  client_id: clientId,
  client_secret: clientSecret,
});
