import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { DryRun } from "../../../../src/client/dry-run.ts";
import { OPERATIONS } from "../../../../src/contract/operations.ts";
import { catchError, clientForTest, KEY } from "../../../support/client.ts";
import { sendJson, startScriptedService } from "../../../support/scripted-service.ts";

const oauth = { kind: "oauth_client", clientId: "cl_test", clientSecret: "short" } as const;

async function rehearsing(options = {}) {
  const { url, requests } = await startScriptedService((_, response) => sendJson(response, 200, {}));
  const client = clientForTest(`${url}/base/`, { isDryRun: true, ...options });
  const shown = async (ending: Promise<unknown>) => {
    const error = await catchError(ending);
    if (!(error instanceof DryRun)) throw error;
    expect(requests).toEqual([]);
    return error.request;
  };
  return { client, url, shown };
}

describe("a rehearsal", () => {
  it("shows an upload without opening the file", async () => {
    const { client, url, shown } = await rehearsing();
    const open = () => {
      throw new Error("opened");
    };
    const file = { name: "e.csv", source: "../../../e.csv", contentType: "text/csv", size: 7, open };
    const multipart = { fields: { seller_name: "Acme" }, file };
    expect(await shown(client.send(OPERATIONS.diligence.submit, { multipart, idempotencyKey: "k" }))).toEqual(
      {
        method: "POST",
        url: `${url}/base/v1/diligence/submit`,
        headers: { accept: "application/json", "idempotency-key": "k" },
        authorization: "api_key",
        body: {
          kind: "multipart",
          fields: { seller_name: "Acme" },
          file: { source: "../../../e.csv", name: "e.csv", contentType: "text/csv", size: 7 },
        },
      },
    );
  });

  it("shows a stream and its parameters, and fetches no token for it", async () => {
    const { client, url, shown } = await rehearsing({ credential: oauth });
    const params = { jobId: "a/b" };
    expect(await shown(client.stream(OPERATIONS.diligence.dataset, { params, accept: "text/csv" }))).toEqual({
      method: "GET",
      url: `${url}/base/v1/diligence/dataset/a%2Fb`,
      headers: { accept: "text/csv" },
      authorization: "oauth_client",
      body: null,
    });
  });

  it("shows any request, with the name of a variable wherever the secret stands", async () => {
    const { client, shown } = await rehearsing();
    const headers = { "X-API-Key": KEY, Authorization: `Bearer ${KEY}` };
    const body = () => ({ headers: { "content-type": "application/json" }, body: `{"é":"${KEY}"}` });
    const request = { method: "PUT", path: "/x?a=1", headers, body, idempotencyKey: "k" } as const;
    expect(await shown(client.sendRaw(request))).toMatchObject({
      headers: { "x-api-key": "$CLAIMS_API_KEY", "idempotency-key": "k" },
      body: {
        kind: "bytes",
        contentType: "application/json",
        size: 10 + KEY.length - 1,
        source: null,
        text: '{"é":"$CLAIMS_API_KEY"}',
      },
    });
    expect(JSON.stringify(await shown(client.sendRaw(request)))).not.toContain(KEY);
  });

  it("names the file of a body and lets go of it", async () => {
    const { client, shown } = await rehearsing();
    const stream = Readable.from(["{}"]);
    const body = () => ({ headers: { "content-length": "2" }, body: stream });
    const { body: seen } = await shown(
      client.sendRaw({ method: "POST", path: "/x", source: "in.json", body }),
    );
    expect(seen).toEqual({
      kind: "bytes",
      contentType: "application/octet-stream",
      size: 2,
      source: "in.json",
      text: null,
    });
    expect(stream.destroyed).toBe(true);
  });

  it("shows the token route without the secret, however short", async () => {
    const { client, url, shown } = await rehearsing({ credential: oauth });
    expect(await shown(client.fetchToken())).toEqual({
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

  it("ends paging at its first page", async () => {
    const { client, shown } = await rehearsing();
    expect(await shown(client.pages({ method: "GET", path: "/x" }).next())).toMatchObject({ method: "GET" });
  });
});
