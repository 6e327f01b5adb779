import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  redactBytes,
  redactHeader,
  redactJson,
  redactModel,
  redactTarget,
  redactText,
} from "../../../../../sandbox/engine/request-log/redaction.ts";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import {
  call,
  exchangeText,
  post,
  requestAccessToken,
  submissionForm,
  submit,
} from "../../../../support/sandbox-requests.ts";

/** Lists every secret of a sandbox. */
async function listSecrets(sandbox: Sandbox): Promise<string[]> {
  const { sandbox: own, production, otherPartner, unapproved, webhook } = sandbox.credentials;
  const token = await requestAccessToken(sandbox);
  const endpoint = await post(sandbox, "/v1/webhooks/endpoints", {
    ...{ label: "x", url: "http://127.0.0.1:9/", subscribedEvents: ["partner.test"] },
    environmentScope: "sandbox",
  });
  return [
    ...[own.apiKey, own.clientSecret, production.apiKey, otherPartner.apiKey, unapproved.clientSecret],
    ...[webhook.signingSecret, token, String(endpoint.body.signingSecret)],
  ];
}

const percentEncode = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join("");
const escapeJson = (text: string) =>
  [...text].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
const json = { "content-type": "application/json" };

/** Places of a request that can contain a secret, intended or not. */
const PLACES: Readonly<Record<string, (sandbox: Sandbox, secret: string) => Promise<unknown>>> = {
  bearer: (sandbox, secret) => call(sandbox, "/v1/clients", { token: secret }),
  basic: (sandbox, secret) =>
    call(sandbox, "/v1/oauth/token", {
      ...{ method: "POST", token: null, body: "grant_type=client_credentials" },
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        authorization: `Basic ${Buffer.from(`id:${secret}`).toString("base64")}`,
      },
    }),
  "an Authorization header without a scheme": (sandbox, secret) =>
    call(sandbox, "/v1/clients", { token: null, headers: { authorization: secret } }),
  "an API key": (sandbox, secret) =>
    call(sandbox, "/v1/diligence/jobs", { token: null, headers: { "x-api-key": secret } }),
  "a header": (sandbox, secret) => call(sandbox, "/v1/clients", { headers: { "x-mine": secret } }),
  "a header's name": (sandbox, secret) => call(sandbox, "/v1/clients", { headers: { [secret]: "1" } }),
  "a header that is logged": (sandbox, secret) =>
    call(sandbox, "/v1/clients", { headers: { "user-agent": `x/${secret}` } }),
  "a request id": (sandbox, secret) => call(sandbox, "/v1/clients", { headers: { "x-request-id": secret } }),
  "an Idempotency-Key": (sandbox, secret) =>
    post(sandbox, "/v1/clients", {}, { headers: { "idempotency-key": secret } }),
  "a parameter": (sandbox, secret) => call(sandbox, `/v1/clients?access_token=${secret}`),
  "a parameter that is logged": (sandbox, secret) =>
    call(sandbox, `/v1/clients?cursor=${percentEncode(secret)}`),
  "a parameter's name": (sandbox, secret) => call(sandbox, `/v1/clients?${secret}=1&${secret}`),
  "a path": (sandbox, secret) => call(sandbox, `/v1/clients/${secret}/x`),
  "a percent-encoded path": (sandbox, secret) =>
    call(sandbox, `/v1/diligence/status/${percentEncode(secret)}`),
  "an alias": (sandbox, secret) => call(sandbox, `/broker/v1/portfolio/scan/${secret}`),
  json: (sandbox, secret) => post(sandbox, "/v1/clients", { name: secret, signingSecret: secret }),
  "escaped json": (sandbox, secret) =>
    call(sandbox, "/v1/clients", { method: "POST", headers: json, body: `{"name":"${escapeJson(secret)}"}` }),
  "broken json": (sandbox, secret) =>
    call(sandbox, "/v1/clients", { method: "POST", headers: json, body: `{"password":"${secret}` }),
  "compressed json": (sandbox, secret) =>
    call(sandbox, "/v1/clients", {
      ...{ method: "POST", headers: { ...json, "content-encoding": "gzip" } },
      body: gzipSync(JSON.stringify({ client_secret: secret, name: `x${secret}` })),
    }),
  "bytes that are not UTF-8": (sandbox, secret) =>
    call(sandbox, "/v1/clients", {
      ...{ method: "POST", headers: json },
      body: Buffer.concat([Buffer.from([0xff]), Buffer.from(secret)]),
    }),
  "a form": (sandbox, secret) =>
    call(sandbox, "/v1/oauth/token", {
      ...{ method: "POST", token: null, body: `grant_type=${secret}&client_secret=${secret}&x=${secret}` },
      headers: { "content-type": "application/x-www-form-urlencoded" },
    }),
  "a form's field": (sandbox, secret) => submit(sandbox, submissionForm({ seller_name: secret })),
  "a form's file": (sandbox, secret) =>
    submit(sandbox, submissionForm({ file: `a,b\n${secret},${secret}\n` })),
  "the end of the captured bytes": (sandbox, secret) =>
    post(sandbox, "/v1/clients", { name: `${"x".repeat(64 * 1024 - 30)} ${secret}` }),
};

/** Decodes a text in every possible way. */
function decodeAll(text: string): string[] {
  const unescaped = text.replace(/\\+u([0-9a-f]{4})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const decoded = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const words = [...text.matchAll(/[A-Za-z0-9+/]{20,}={0,2}/g)];
  return [text, unescaped, decoded, ...words.map(([word]) => Buffer.from(word, "base64").toString("latin1"))];
}

/** Reads the requests after a number through every interface of the log. */
async function readAll(sandbox: Sandbox, since: number): Promise<string> {
  const { controlToken } = sandbox;
  const readControl = async (path: string) =>
    (await call(sandbox, `/_sandbox${path}`, { token: controlToken })).text;
  const entries = await sandbox.requests.list({ since });
  const each = await Promise.all(entries.map(({ number }) => readControl(`/requests/${number}`)));
  if (entries.length === 0) return "";
  return [JSON.stringify(entries), await readControl(`/requests?since=${since}`), ...each].join("\n");
}

describe("the request log", () => {
  it("contains no secret of a request, in any place and encoding", async () => {
    const sandbox = await sandboxForTest();
    const secrets = await listSecrets(sandbox);
    const places = Object.keys(PLACES);
    const mistake = fc.tuple(fc.constantFrom(...places), fc.constantFrom(...secrets));
    const checkPlaces = async (mistakes: readonly (readonly [string, string])[]) => {
      const since = (await sandbox.requests.list({ limit: 1 }))[0]?.number ?? 0;
      for (const [place, secret] of mistakes) await PLACES[place]?.(sandbox, secret).catch(() => undefined);
      const texts = decodeAll(await readAll(sandbox, since));
      for (const secret of secrets)
        for (const text of texts) if (text.includes(secret)) throw new Error(`${secret} in ${text}`);
      // The log shows the last four characters of a bearer credential, but never the last eight.
      for (const secret of secrets) expect(texts.some((text) => text.includes(secret.slice(-8)))).toBe(false);
    };
    for (const place of places)
      await checkPlaces(secrets.slice(0, 1).map((secret) => [place, secret] as const));
    expect((await readAll(sandbox, 0)).includes("[redacted]")).toBe(true);
    await fc.assert(fc.asyncProperty(fc.array(mistake, { minLength: 1, maxLength: 6 }), checkPlaces), {
      numRuns: 12,
    });
  });

  it("contains no secret of a response", async () => {
    const sandbox = await sandboxForTest();
    await listSecrets(sandbox);
    const [token, endpoint] = await sandbox.requests.list();
    expect(JSON.parse(token?.responseBody?.text ?? "")).toEqual({
      ...{ access_token: "[redacted]", token_type: "Bearer", expires_in: 3600 },
    });
    expect(token?.requestBody?.text).toMatch(
      /^grant_type=client_credentials&client_id=cl_sandbox_\w+&client_secret=\[redacted\]$/,
    );
    const { signingSecret, secretPrefix } = JSON.parse(endpoint?.responseBody?.text ?? "");
    expect(signingSecret).toBe("[redacted]");
    expect(secretPrefix).toMatch(/^whsec_.{6}$/);
  });

  it("contains no secret of a request line with arbitrary bytes", async () => {
    const sandbox = await sandboxForTest();
    const { apiKey } = sandbox.credentials.sandbox;
    const line = `GET /v1/é${apiKey}?a=b?c=${apiKey} HTTP/1.1`;
    await exchangeText(sandbox, `${line}\r\nHost: ${apiKey}\r\nConnection: close\r\n\r\n`);
    expect(await readAll(sandbox, 0)).not.toContain(apiKey);
  });
});

describe("redaction", () => {
  it.each([
    ["accept", "a/b", "a/b"],
    ["Authorization", "Bearer sk_sandbox_0123456789abcdef", "Bearer [redacted]…cdef"],
    ["authorization", "Bearer short", "[redacted]"],
    ["authorization", "Basic aWQ6c2VjcmV0c2VjcmV0c2VjcmV0", "Basic [redacted]"],
    ["authorization", "Digest aWQ6c2VjcmV0c2VjcmV0c2VjcmV0", "[redacted]"],
    ["cookie", "a=b", "[redacted]"],
    ["set-cookie", "a=b", "[redacted]"],
    ["x-api-key", "k", "[redacted]"],
  ])("redacts the value of the header %s: %s", (name, value, shown) => {
    expect(redactHeader(name, value)).toBe(shown);
  });

  const SECRET = "sk_sandbox_0123456789abcdef";

  it.each([
    ["a plain secret", "a%3Cb sk_sandbox_0123456789 %3Cb", "a%3Cb [redacted] %3Cb"],
    ["percent escapes", "%3Cb%3E%73k%5fsandbox%5F0123456789%3Cb%3E", "%3Cb%3E[redacted]%3Cb%3E"],
    ["escapes of escapes", "%3C%252573k%25%35%46sandbox_0123456789%3C", "%3C[redacted]%3C"],
    ["JSON escapes", "\\u003cb sk\\u005Fsandbox_01234567\\u0038\\u003e", "\\u003cb [redacted]\\u003e"],
    [
      "JSON in JSON",
      '{\\"a\\":\\"\\\\u0073k_sandbox_0123456789\\\\u003c\\"}',
      '{\\"a\\":\\"[redacted]\\\\u003c\\"}',
    ],
    ["JSON in a URL", "%22%5Cu0073k_sandbox_0123456789%5Cu003c", "%22[redacted]%5Cu003c"],
    ["a URL in JSON", "\\u002573k_sandbox_0123456789 \\u002573", "[redacted] \\u002573"],
    ["a line break before it", "a%0Ask_0123456789%0Ab", "a%0A[redacted]%0Ab"],
    ["no escape before it", "100%cs_sandbox_0123456789 %2cs_sandbox_01234567", "100%[redacted] %2[redacted]"],
    ["several secrets", "sk%5F01234567,%61t_01234567,whsec_0123%345678", "[redacted],[redacted],[redacted]"],
    ["a secret at each end", "sk_01234567%20sk_0123456%37", "[redacted]%20[redacted]"],
  ])("changes only the characters of a secret: %s", (_, text, clean) => {
    expect(redactText(text)).toBe(clean);
    expect(redactText(clean)).toBe(clean);
  });

  it("finds a secret with random layers of escapes, and keeps the text around it", () => {
    const escapeAll = (text: string, kinds: readonly string[]) =>
      kinds.reduce((inner, kind) => (kind === "json" ? escapeJson(inner) : percentEncode(inner)), text);
    const layers = fc.array(fc.constantFrom("json", "percent"), { maxLength: 3 });
    const around = fc.string({ unit: fc.constantFrom(" ", "<", "é", "%3C", "\\u003c", "\\\\n", ".", '"') });
    fc.assert(
      fc.property(around, around, layers, fc.nat(20), (before, after, kinds, length) => {
        const secret = escapeAll(SECRET.slice(0, length), kinds) + SECRET.slice(length);
        const [head, tail] = [`${before} `, ` ${after}`];
        expect(redactText(head + secret + tail)).toBe(`${head}[redacted]${tail}`);
      }),
    );
  });

  it.each([
    [
      '{ "a" : 1.0, "token":"hunter2" ,\n "b": "\\u003c\\/" }',
      '{ "a" : 1.0, "token":"[redacted]" ,\n "b": "\\u003c\\/" }',
    ],
    [
      '{"passw\\u006frd" :  12, "token": null, "secret": {"a": true}}',
      '{"passw\\u006frd" :  "[redacted]", "token": null, "secret": {"a": true}}',
    ],
    [
      '["token", ":", {"api_key":"a\\"b"}, "\\":\\"", "token"]',
      '["token", ":", {"api_key":"[redacted]"}, "\\":\\"", "token"]',
    ],
    ['{"a":"sk\\u005f01234567","token":"hunt', '{"a":"[redacted]","token":"[redacted]"'],
  ])("changes only the values of secret members of JSON: %s", (text, clean) => {
    expect(redactJson(text)).toBe(clean);
  });

  it("changes only the secret among bytes that are not UTF-8", () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0x25]), Buffer.from(`${SECRET} %3C`)]);
    expect(redactBytes(bytes)).toEqual(
      Buffer.concat([Buffer.from([0xff, 0x25]), Buffer.from("[redacted] %3C")]),
    );
  });

  it("redacts each text of a model", () => {
    const model = { a: [SECRET, 1, null, { b: `${SECRET}%3C`, c: true }], d: "%3C" };
    expect(redactModel(model)).toEqual({
      a: ["[redacted]", 1, null, { b: "[redacted]%3C", c: true }],
      d: "%3C",
    });
  });

  it("keeps ordinary text, also if it resembles a secret", () => {
    for (const text of [
      "task_force_committee",
      "whsec_abcdef",
      "disk_0",
      "at_home",
      "100 %",
      "\\u0041",
      "%3Cb%3E",
    ])
      expect(redactText(text)).toBe(text);
    for (const text of ['{ "a": [1.0, "x\\u00e9"] }', '{"error":"invalid_client"}', '{"a":'])
      expect(redactJson(text)).toBe(text);
    expect(redactTarget("/v1/clients?limit=2&cursor=a%20b&x=1&y&=")).toBe(
      "/v1/clients?limit=2&cursor=a%20b&x=[redacted]&[redacted]&=[redacted]",
    );
  });
});
