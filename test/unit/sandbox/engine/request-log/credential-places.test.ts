import { describe, expect, it } from "vitest";
import type { CredentialPlace } from "../../../../../sandbox/index.ts";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import { call, submissionForm } from "../../../../support/sandbox-requests.ts";

const place = (
  where: CredentialPlace["place"],
  name: string | null,
  environment: CredentialPlace["environment"] = "sandbox",
): CredentialPlace => ({ place: where, name, environment });

const toBase64 = (text: string) => Buffer.from(text).toString("base64");

describe("the credentials of a logged request", () => {
  it.each<
    [
      name: string,
      path: (key: string) => string,
      init: (key: string) => RequestInit,
      expected: CredentialPlace[],
    ]
  >([
    ["no place", () => "/v1/clients?limit=1", () => ({}), []],
    [
      "Bearer",
      () => "/",
      (key) => ({ headers: { authorization: `Bearer ${key}` } }),
      [place("authorization", "bearer")],
    ],
    ["no scheme", () => "/", (key) => ({ headers: { authorization: key } }), [place("authorization", null)]],
    [
      "a made-up value",
      () => "/",
      () => ({ headers: { authorization: "Token x" } }),
      [place("authorization", "token", null)],
    ],
    [
      "Basic",
      () => "/",
      (key) => ({ headers: { authorization: `Basic ${toBase64(`me:${key}`)}` } }),
      [place("authorization", "basic")],
    ],
    ["X-API-Key", () => "/", (key) => ({ headers: { "x-api-key": key } }), [place("x-api-key", null)]],
    [
      "another header",
      () => "/",
      (key) => ({ headers: { "User-Agent": `me/1 ${key}` } }),
      [place("header", "user-agent")],
    ],
    ["the path", (key) => `/v1/${key}`, () => ({}), [place("path", null)]],
    ["the query", (key) => `/v1/clients?limit=1&q=${key}`, () => ({}), [place("query", "q")]],
    ["the query with escapes", (key) => `/?k=${key.replace("_", "%5F")}`, () => ({}), [place("query", "k")]],
    [
      "a parameter for credentials",
      () => "/?access_token=mine",
      () => ({}),
      [place("query", "access_token", null)],
    ],
    [
      "a form",
      () => "/v1/oauth/token",
      (key) => ({ method: "POST", body: new URLSearchParams({ grant_type: "x", client_secret: key }) }),
      [place("body", "client_secret")],
    ],
    [
      "JSON with escapes",
      () => "/v1/clients",
      (key) => ({
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name: key }).replace("sk_", "sk\\u005f"),
      }),
      [place("body", null)],
    ],
  ])("%s", async (_, path, init, expected) => {
    const sandbox = await sandboxForTest();
    const { apiKey } = sandbox.credentials.sandbox;
    const needsCaller = path("").startsWith("/v1/clients") && init("").method === "POST";
    await call(sandbox, path(apiKey), { ...init(apiKey), token: needsCaller ? apiKey : null });
    const { credentials } = await sandbox.requests.get(1);
    expect(needsCaller ? credentials.slice(1) : credentials).toEqual(expected);
  });

  it("are found in a multipart form, and their environment is known", async () => {
    const sandbox = await sandboxForTest();
    const { apiKey } = sandbox.credentials.production;
    const form = submissionForm({ seller_name: apiKey });
    await call(sandbox, "/v1/diligence/submit", { method: "POST", body: form });
    const [logged] = await sandbox.requests.list();
    expect(logged?.credentials).toEqual([
      place("authorization", "bearer"),
      place("body", "seller_name", "production"),
    ]);
    expect(JSON.stringify(logged)).not.toContain(apiKey);
  });
});

describe("the problem of a logged request", () => {
  it("has its code and the invalid parts, also under grease", async () => {
    const sandbox = await sandboxForTest({ grease: ["errorShape"] });
    const form = submissionForm({ seller_name: null });
    await call(sandbox, "/v1/diligence/submit", { method: "POST", body: form });
    await call(sandbox, `/v1/clients?${sandbox.credentials.sandbox.apiKey}=1`);
    await call(sandbox, "/v1/clients");
    const [submission, list, success] = await sandbox.requests.list();
    expect(submission?.problem).toEqual({
      code: "validation_failed",
      errors: [{ location: "seller_name", code: "required" }],
    });
    expect(list?.problem).toMatchObject({ code: "validation_failed", errors: [{ location: "[redacted]" }] });
    expect(success?.problem).toBeNull();
  });
});
