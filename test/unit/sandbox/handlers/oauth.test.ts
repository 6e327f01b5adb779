import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../../../sandbox/index.ts";
import { getContract } from "../../../../src/contract/openapi.ts";
import { openSandbox, sandboxForTest } from "../../../support/sandbox.ts";
import { call } from "../../../support/sandbox-requests.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

const form = (fields: Record<string, string> | [string, string][]) => new URLSearchParams(fields);
const right = () => ({
  grant_type: "client_credentials",
  client_id: sandbox.credentials.sandbox.clientId,
  client_secret: sandbox.credentials.sandbox.clientSecret,
});

const ask = (body: string | URLSearchParams, headers: Record<string, string> = {}) =>
  call(sandbox, "/v1/oauth/token", { method: "POST", body, headers, token: null });

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
});

test("a token works like the sandbox key, for an hour of sandbox time", async () => {
  const own = await sandboxForTest();
  const answer = await call(own, "/v1/oauth/token", { method: "POST", body: form(right()), token: null });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("pragma")).toBe("no-cache");
  expect(answer.body).toEqual({
    access_token: expect.stringMatching(/^at_sandbox_/),
    token_type: "Bearer",
    expires_in: 3600,
  });
  const token = String(answer.body.access_token);
  expect((await call(own, "/v1/docs/openapi", { token })).status).toBe(200);
  await own.clock.advance("3599s");
  expect((await call(own, "/v1/docs/openapi", { token })).status).toBe(200);
  await own.clock.advance("1s");
  const expired = await call(own, "/v1/docs/openapi", { token });
  expect([expired.status, expired.body.code]).toEqual([401, "credential_invalid"]);
  expect(expired.body.detail).toContain("expired");
});

test("HTTP Basic works too, form-encoded (RFC 6749 §2.3.1)", async () => {
  const { client_id, client_secret } = right();
  const encoded = basic(encodeURIComponent(client_id).replace("_", "%5F"), client_secret);
  expect((await ask(form({ grant_type: "client_credentials" }), encoded)).status).toBe(200);
});

test("an access token is not valid in X-API-Key", async () => {
  const token = String((await ask(form(right()))).body.access_token);
  const headers = { "x-api-key": token };
  const answer = await call(sandbox, "/api/diligence/status/x", { token: null, headers });
  expect(answer.body.code).toBe("credential_invalid");
});

describe("errors of RFC 6749 §5.2", () => {
  const cases: [string, () => Promise<Awaited<ReturnType<typeof ask>>>, number, string][] = [
    ["no grant_type", () => ask(form({ ...right(), grant_type: "" })), 400, "invalid_request"],
    ["another grant", () => ask(form({ ...right(), grant_type: "password" })), 400, "unsupported_grant_type"],
    ["a wrong secret", () => ask(form({ ...right(), client_secret: "x" })), 401, "invalid_client"],
    ["an unknown client", () => ask(form({ ...right(), client_id: "x" })), 401, "invalid_client"],
    ["no client at all", () => ask(form({ grant_type: "client_credentials" })), 401, "invalid_client"],
    ["no secret", () => ask(form({ ...right(), client_secret: "" })), 401, "invalid_client"],
    ["no id", () => ask(form({ ...right(), client_id: "" })), 400, "invalid_request"],
    [
      "a parameter twice",
      () => ask(form([...Object.entries(right()), ["client_id", "again"]])),
      400,
      "invalid_request",
    ],
    ["Basic and form", () => ask(form(right()), basic("a", "b")), 400, "invalid_request"],
    [
      "wrong Basic",
      () => ask(form({ grant_type: "client_credentials" }), basic("a", "b")),
      401,
      "invalid_client",
    ],
    [
      "Bearer in place of Basic",
      () => ask(form({ grant_type: "client_credentials" }), { authorization: "Bearer x" }),
      401,
      "invalid_client",
    ],
    ["a scope", () => ask(form({ ...right(), scope: "all" })), 400, "invalid_scope"],
    [
      "a client that is not approved",
      () => {
        const { clientId, clientSecret } = sandbox.credentials.unapproved;
        return ask(form({ ...right(), client_id: clientId, client_secret: clientSecret }));
      },
      400,
      "unauthorized_client",
    ],
    [
      "JSON",
      () => ask(JSON.stringify(right()), { "content-type": "application/json" }),
      415,
      "invalid_request",
    ],
    ["too much", () => ask(form({ ...right(), padding: "x".repeat(1_100_000) })), 413, "invalid_request"],
  ];

  test.each(cases)("%s", async (_name, send, status, error) => {
    const answer = await send();
    expect([answer.status, answer.body.error]).toEqual([status, error]);
    expect(answer.body.error_description).toEqual(expect.any(String));
    expect(answer.headers.get("cache-control")).toBe("no-store");
    if (status === 401) expect(answer.headers.get("www-authenticate")).toMatch(/^Basic/);
  });
});

test("the document allows HTTP Basic, with a form that has the grant type alone", () => {
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
  expect(isValid(right())).toBe(true);
  const { client_id, client_secret } = right();
  expect(isValid({ grant_type: "client_credentials", client_secret })).toBe(false);
  expect(isValid({ client_id, client_secret })).toBe(false);
});
