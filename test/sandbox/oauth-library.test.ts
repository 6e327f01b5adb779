import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  processClientCredentialsResponse,
} from "oauth4webapi";
import { expect, it } from "vitest";
import { OPERATIONS } from "../../src/contract/operations/operations.ts";
import { sandboxForTest } from "../support/sandbox.ts";

/** Requests a token with a library that checks every response against RFC 6749. */
async function requestToken(
  url: string,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
  authenticate: typeof ClientSecretPost,
) {
  const server = { issuer: url, token_endpoint: url + OPERATIONS.oauth.token.path };
  const client = { client_id: clientId };
  const response = await clientCredentialsGrantRequest(
    server,
    client,
    authenticate(clientSecret),
    {},
    { [allowInsecureRequests]: true },
  );
  return processClientCredentialsResponse(server, client, response);
}

it.each([
  ["in the form", ClientSecretPost],
  ["as HTTP Basic", ClientSecretBasic],
])("the OAuth library oauth4webapi gets a valid token with the client secret %s", async (_, authenticate) => {
  const { url, credentials } = await sandboxForTest();
  const { access_token, expires_in } = await requestToken(url, credentials.sandbox, authenticate);
  expect(expires_in).toBe(3600);
  const response = await fetch(url + OPERATIONS.webhooks.endpoints.path, {
    headers: { authorization: `Bearer ${access_token}` },
  });
  expect(response.status).toBe(200);
});
