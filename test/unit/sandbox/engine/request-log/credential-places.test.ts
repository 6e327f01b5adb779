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

/** Where a request has the credential, and what the log must say about it. */
type Case = RequestInit & { readonly path?: string; readonly expected: readonly CredentialPlace[] };

const inHeader = (name: string, value: string, ...expected: CredentialPlace[]): Case => ({
  headers: { [name]: value },
  expected,
});

const inPath = (path: string, ...expected: CredentialPlace[]): Case => ({ path, expected });

const CASES: Readonly<Record<string, (key: string) => Case>> = {
  "no place": () => inPath("/v1/clients?limit=1"),
  Bearer: (key) => inHeader("authorization", `Bearer ${key}`, place("authorization", "bearer")),
  "no scheme": (key) => inHeader("authorization", key, place("authorization", null)),
  "a made-up value": () => inHeader("authorization", "Token x", place("authorization", "token", null)),
  Basic: (key) =>
    inHeader("authorization", `Basic ${toBase64(`me:${key}`)}`, place("authorization", "basic")),
  "X-API-Key": (key) => inHeader("x-api-key", key, place("x-api-key", null)),
  "another header": (key) => inHeader("User-Agent", `me/1 ${key}`, place("header", "user-agent")),
  "the path": (key) => inPath(`/v1/${key}`, place("path", null)),
  "the query": (key) => inPath(`/v1/clients?limit=1&q=${key}`, place("query", "q")),
  "the query with escapes": (key) => inPath(`/?k=${key.replace("_", "%5F")}`, place("query", "k")),
  "a parameter for credentials": () => inPath("/?access_token=mine", place("query", "access_token", null)),
  "a form": (key) => ({
    ...inPath("/v1/oauth/token", place("body", "client_secret")),
    method: "POST",
    body: new URLSearchParams({ grant_type: "x", client_secret: key }),
  }),
  "JSON with escapes": (key) => ({
    ...inPath("/v1/clients", place("authorization", "bearer"), place("body", null)),
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: key }).replace("sk_", "sk\\u005f"),
  }),
};

describe("the credentials of a logged request", () => {
  it.each(Object.entries(CASES))("%s", async (_, createCase) => {
    const sandbox = await sandboxForTest();
    const { path = "/", expected, ...init } = createCase(sandbox.credentials.sandbox.apiKey);
    await call(sandbox, path, { ...init, token: null });
    expect((await sandbox.requests.get(1)).credentials).toEqual(expected);
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

it("the problem of a logged request has its code and the invalid parts, also under grease", async () => {
  const sandbox = await sandboxForTest({ grease: ["errorShape"] });
  const form = submissionForm({ seller_name: null });
  await call(sandbox, "/v1/diligence/submit", { method: "POST", body: form });
  await call(sandbox, `/v1/clients?${sandbox.credentials.sandbox.apiKey}=1`);
  await call(sandbox, "/v1/clients");
  const [submission, list, success] = await sandbox.requests.list();
  expect(submission?.problem).toEqual({
    code: "validation_failed",
    detail: "seller_name: is missing.",
    errors: [{ location: "seller_name", code: "required" }],
  });
  expect(list?.problem).toMatchObject({ code: "validation_failed", errors: [{ location: "[redacted]" }] });
  expect(list?.problem?.detail).toMatch(/^\[redacted\]: /);
  expect(success?.problem).toBeNull();
});
