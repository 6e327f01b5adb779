import { Ajv2020 } from "ajv/dist/2020.js";
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  processClientCredentialsResponse,
} from "oauth4webapi";
import { afterAll, describe, expect, test } from "vitest";
import { getContract } from "../../src/contract/openapi.ts";
import { OPERATIONS } from "../../src/contract/operations/operations.ts";
import { openSandbox, sandboxForTest } from "../support/sandbox.ts";
import { call } from "../support/sandbox-requests.ts";

const sandbox = await openSandbox();
afterAll(() => sandbox.close());

const form = (fields: Record<string, string>) => new URLSearchParams(fields);
const validFields = () => ({
  grant_type: "client_credentials",
  client_id: sandbox.credentials.sandbox.clientId,
  client_secret: sandbox.credentials.sandbox.clientSecret,
});

const requestToken = (body: string | URLSearchParams, headers: Record<string, string> = {}) =>
  call(sandbox, "/v1/oauth/token", { method: "POST", body, headers, token: null });

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
});

test("an access token works like the sandbox key for an hour of sandbox time", async () => {
  const own = await sandboxForTest();
  const response = await call(own, "/v1/oauth/token", {
    method: "POST",
    body: form(validFields()),
    token: null,
  });
  expect(response.status).toBe(200);
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(response.headers.get("pragma")).toBe("no-cache");
  expect(response.body).toEqual({
    access_token: expect.stringMatching(/^at_sandbox_/),
    token_type: "Bearer",
    expires_in: 3600,
  });
  const token = String(response.body.access_token);
  expect((await call(own, "/v1/docs/openapi", { token })).status).toBe(200);
  await own.clock.advance("3599s");
  expect((await call(own, "/v1/docs/openapi", { token })).status).toBe(200);
  await own.clock.advance("1s");
  const expired = await call(own, "/v1/docs/openapi", { token });
  expect([expired.status, expired.body.code]).toEqual([401, "credential_invalid"]);
  expect(expired.body.detail).toContain("expired");
});

test("an access token is not valid in X-API-Key", async () => {
  const token = String((await requestToken(form(validFields()))).body.access_token);
  const headers = { "x-api-key": token };
  const response = await call(sandbox, "/api/diligence/status/x", { token: null, headers });
  expect(response.body.code).toBe("credential_invalid");
});

describe("the token route (RFC 6749 §5.2)", () => {
  type Case = [name: string, send: () => ReturnType<typeof requestToken>, status: number, error: string];

  /** A form that differs from a valid one in these fields. */
  const formWith = (name: string, fields: Record<string, string>, status: number, error: string): Case => [
    name,
    () => requestToken(form({ ...validFields(), ...fields })),
    status,
    error,
  ];
  /** A form with the grant type alone. */
  const onlyGrant = (name: string, headers: Record<string, string>): Case => [
    name,
    () => requestToken(form({ grant_type: "client_credentials" }), headers),
    401,
    "invalid_client",
  ];

  const cases: Case[] = [
    formWith("an empty grant_type", { grant_type: "" }, 400, "invalid_request"),
    formWith("an unsupported grant", { grant_type: "password" }, 400, "unsupported_grant_type"),
    formWith("a wrong secret", { client_secret: "x" }, 401, "invalid_client"),
    formWith("an unknown client", { client_id: "x" }, 401, "invalid_client"),
    formWith("an empty secret", { client_secret: "" }, 401, "invalid_client"),
    formWith("an empty client id", { client_id: "" }, 400, "invalid_request"),
    formWith("a scope", { scope: "all" }, 400, "invalid_scope"),
    formWith("a body over the limit", { padding: "x".repeat(1_100_000) }, 413, "invalid_request"),
    onlyGrant("a request without a client", {}),
    onlyGrant("wrong Basic credentials", basic("a", "b")),
    onlyGrant("a Bearer credential", { authorization: "Bearer x" }),
    [
      "credentials both in Basic and in the form",
      () => requestToken(form(validFields()), basic("a", "b")),
      400,
      "invalid_request",
    ],
    [
      "an unapproved client",
      () => {
        const { clientId, clientSecret } = sandbox.credentials.unapproved;
        return requestToken(form({ ...validFields(), client_id: clientId, client_secret: clientSecret }));
      },
      400,
      "unauthorized_client",
    ],
    [
      "a JSON body",
      () => requestToken(JSON.stringify(validFields()), { "content-type": "application/json" }),
      415,
      "invalid_request",
    ],
  ];

  test.each(cases)("refuses %s", async (_name, send, status, error) => {
    const response = await send();
    expect([response.status, response.body.error]).toEqual([status, error]);
    expect(response.body.error_description).toEqual(expect.any(String));
    expect(response.headers.get("cache-control")).toBe("no-store");
    if (status === 401) expect(response.headers.get("www-authenticate")).toMatch(/^Basic/);
  });
});

test("the contract allows HTTP Basic with a form that has only the grant type", () => {
  const { paths, components } = getContract().document as unknown as {
    paths: Record<string, { post: { security: object[]; requestBody: { content: Record<string, object> } } }>;
    components: { securitySchemes: Record<string, object> };
  };
  const { security, requestBody } = paths["/v1/oauth/token"]?.post ?? {};
  expect(security).toContainEqual({ client: [] });
  expect(components.securitySchemes.client).toMatchObject({ type: "http", scheme: "basic" });
  const [form] = Object.values(requestBody?.content ?? {}) as { schema: object }[];
  const isValid = new Ajv2020({ strict: false }).compile(form?.schema ?? {});
  expect(isValid({ grant_type: "client_credentials" })).toBe(true);
  expect(isValid(validFields())).toBe(true);
  const { client_id, client_secret } = validFields();
  expect(isValid({ grant_type: "client_credentials", client_secret })).toBe(false);
  expect(isValid({ client_id, client_secret })).toBe(false);
});

/** Requests a token with a library that checks every response against RFC 6749. */
async function requestWithLibrary(
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

test.each([
  ["in the form", ClientSecretPost],
  ["as HTTP Basic", ClientSecretBasic],
])("the OAuth library oauth4webapi gets a valid token with the client secret %s", async (_, authenticate) => {
  const { url, credentials } = sandbox;
  const { access_token, expires_in } = await requestWithLibrary(url, credentials.sandbox, authenticate);
  expect(expires_in).toBe(3600);
  const response = await fetch(url + OPERATIONS.webhooks.endpoints.path, {
    headers: { authorization: `Bearer ${access_token}` },
  });
  expect(response.status).toBe(200);
});
