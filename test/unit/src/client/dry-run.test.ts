import { describe, expect, it } from "vitest";
import { DryRun } from "../../../../src/client/dry-run.ts";
import { catchError, clientForTest, KEY } from "../../../support/client.ts";
import { sendJson, startScriptedService } from "../../../support/scripted-service.ts";

const oauth = { kind: "oauth_client", clientId: "cl_test", clientSecret: "short" } as const;

async function createDryRunClient(options = {}) {
  const { url, requests } = await startScriptedService((_, response) => sendJson(response, 200, {}));
  const client = clientForTest(`${url}/base/`, { isDryRun: true, ...options });
  const catchRequest = async (ending: Promise<unknown>) => {
    const error = await catchError(ending);
    if (!(error instanceof DryRun)) throw error;
    expect(requests).toEqual([]);
    return error.request;
  };
  return { client, url, catchRequest };
}

describe("a dry run", () => {
  it("reports a raw request, with the name of a variable in place of the secret", async () => {
    const { client, catchRequest } = await createDryRunClient();
    const headers = { "X-API-Key": KEY, Authorization: `Bearer ${KEY}` };
    const body = () => ({ headers: { "content-type": "application/json" }, body: `{"é":"${KEY}"}` });
    const request = { method: "PUT", path: "/x?a=1", headers, body, idempotencyKey: "k" } as const;
    expect(await catchRequest(client.sendRaw(request))).toMatchObject({
      headers: { "x-api-key": "$CLAIMS_API_KEY", "idempotency-key": "k" },
      body: {
        kind: "bytes",
        contentType: "application/json",
        size: 10 + KEY.length - 1,
        source: null,
        text: '{"é":"$CLAIMS_API_KEY"}',
      },
    });
    expect(JSON.stringify(await catchRequest(client.sendRaw(request)))).not.toContain(KEY);
  });

  it("reports a token request without the secret, even if the secret is short", async () => {
    const { client, url, catchRequest } = await createDryRunClient({ credential: oauth });
    expect(await catchRequest(client.fetchToken())).toEqual({
      method: "POST",
      url: `${url}/base/v1/oauth/token`,
      headers: { accept: "application/json" },
      authorization: null,
      body: {
        kind: "form",
        fields: {
          grant_type: "client_credentials",
          client_id: "cl_test",
          client_secret: "$CLAIMS_CLIENT_SECRET",
        },
      },
    });
  });
});
