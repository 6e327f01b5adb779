import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  processClientCredentialsResponse,
  WWWAuthenticateChallengeError,
} from "oauth4webapi";
import { describe, expect, it } from "vitest";
import { OPERATIONS } from "../../../../src/contract/operations.ts";
import { sandboxForTest } from "../../../support/sandbox.ts";

/** Asks for a token as a library does that holds every answer against RFC 6749. */
async function granted(
  url: string,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
  authenticate: typeof ClientSecretPost,
) {
  const server = { issuer: url, token_endpoint: url + OPERATIONS.oauth.token.path };
  const client = { client_id: clientId };
  const answer = await clientCredentialsGrantRequest(
    server,
    client,
    authenticate(clientSecret),
    {},
    {
      [allowInsecureRequests]: true,
    },
  );
  return processClientCredentialsResponse(server, client, answer);
}

describe("a third-party OAuth library", () => {
  it.each([
    ["in the form", ClientSecretPost],
    ["as HTTP Basic", ClientSecretBasic],
  ])("gets a token with its secret %s, and the API takes it", async (_, authenticate) => {
    const { url, credentials } = await sandboxForTest();
    const { access_token, expires_in } = await granted(url, credentials.sandbox, authenticate);
    expect(expires_in).toBe(3600);
    const answer = await fetch(url + OPERATIONS.webhooks.endpoints.path, {
      headers: { authorization: `Bearer ${access_token}` },
    });
    expect(answer.status).toBe(200);
  });

  it("gets the reason of a refusal", async () => {
    const { url, credentials } = await sandboxForTest();
    await expect(granted(url, credentials.unapproved, ClientSecretPost)).rejects.toMatchObject({
      error: "unauthorized_client",
      status: 400,
    });
    const wrong = { ...credentials.sandbox, clientSecret: "cs_sandbox_of_somebody_else" };
    // RFC 6749 §5.2: a 401 names the way to authenticate, which the library reads first.
    await expect(granted(url, wrong, ClientSecretPost)).rejects.toBeInstanceOf(WWWAuthenticateChallengeError);
  });
});
