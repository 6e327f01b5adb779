import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import {
  call,
  post,
  rawRequest,
  readJob,
  submissionForm,
  submit,
  submitAndSettle,
  waitUntil,
} from "../../../../support/sandbox-requests.ts";

const pairs = {
  type: "array",
  items: {
    type: "object",
    required: ["name", "value"],
    properties: { name: { type: "string" }, value: { type: "string" } },
  },
};

const size = { type: "integer", minimum: -1 };

/** The required fields of each object of HTTP Archive 1.2, as a JSON schema. */
const HAR = {
  type: "object",
  required: ["log"],
  properties: {
    log: {
      type: "object",
      required: ["version", "creator", "entries"],
      properties: {
        version: { const: "1.2" },
        creator: {
          type: "object",
          required: ["name", "version"],
          properties: { name: { type: "string" }, version: { type: "string" } },
        },
        entries: {
          type: "array",
          items: {
            type: "object",
            required: ["startedDateTime", "time", "request", "response", "cache", "timings"],
            propertyNames: {
              pattern:
                "^(_.*|pageref|startedDateTime|time|request|response|cache|timings|serverIPAddress|connection|comment)$",
            },
            properties: {
              startedDateTime: {
                pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}(Z|[+-]\\d\\d:\\d\\d)$",
              },
              time: { type: "number", minimum: 0 },
              request: {
                type: "object",
                additionalProperties: false,
                required: [
                  "method",
                  "url",
                  "httpVersion",
                  "cookies",
                  "headers",
                  "queryString",
                  "headersSize",
                  "bodySize",
                ],
                properties: {
                  method: { type: "string" },
                  url: { type: "string", pattern: "^http://" },
                  httpVersion: { pattern: "^HTTP/1\\.[01]$" },
                  cookies: pairs,
                  headers: pairs,
                  queryString: pairs,
                  postData: {
                    type: "object",
                    required: ["mimeType", "params", "text"],
                    properties: { mimeType: { type: "string" }, params: pairs, text: { type: "string" } },
                  },
                  headersSize: size,
                  bodySize: size,
                },
              },
              response: {
                type: "object",
                additionalProperties: false,
                required: [
                  "status",
                  "statusText",
                  "httpVersion",
                  "cookies",
                  "headers",
                  "content",
                  "redirectURL",
                  "headersSize",
                  "bodySize",
                ],
                properties: {
                  status: { type: "integer" },
                  statusText: { type: "string" },
                  httpVersion: { type: "string" },
                  cookies: pairs,
                  headers: pairs,
                  content: {
                    type: "object",
                    additionalProperties: false,
                    required: ["size", "mimeType"],
                    properties: {
                      size: { type: "integer", minimum: 0 },
                      mimeType: { type: "string", minLength: 1 },
                      text: { type: "string" },
                      encoding: { const: "base64" },
                      compression: { type: "integer" },
                      comment: { type: "string" },
                    },
                  },
                  redirectURL: { type: "string" },
                  headersSize: size,
                  bodySize: size,
                },
              },
              cache: { type: "object" },
              timings: {
                type: "object",
                required: ["send", "wait", "receive"],
                additionalProperties: { type: "number", minimum: 0 },
              },
              comment: { type: "string" },
            },
          },
        },
      },
    },
  },
};

it("requests.har() has every field that HTTP Archive 1.2 requires", async () => {
  const sandbox = await sandboxForTest();
  await call(sandbox, "/v1/clients?limit=1");
  await post(sandbox, "/v1/clients", { name: "é" });
  await call(sandbox, "/v1/clients", {
    method: "POST",
    body: Buffer.from([0xff]),
    headers: { "content-type": "application/json" },
  });
  await submit(sandbox, submissionForm());
  const job = await submitAndSettle(sandbox);
  for (const resource of ["report", "dataset"]) await readJob(sandbox, resource, job);
  await call(sandbox, "/v1/nothing", { method: "HEAD" });
  const aborted = rawRequest(sandbox, {
    method: "POST",
    path: "/v1/clients?x=1",
    headers: { "content-length": "9" },
  });
  aborted.on("error", () => undefined).flushHeaders();
  aborted.destroy();
  const { entries } = await (async () => {
    await waitUntil(async () =>
      (await sandbox.requests.list()).every(({ outcome }) => outcome !== "running"),
    );
    const har = await sandbox.requests.har();
    const validate = new Ajv2020({ allErrors: true, strict: false }).compile(HAR);
    expect(validate(har), JSON.stringify(validate.errors)).toBe(true);
    return har.log;
  })();
  const [first, second, third, form] = entries;
  expect(first).toMatchObject({
    startedDateTime: "2026-11-20T00:00:00.000Z",
    request: { url: `${sandbox.url}/v1/clients?limit=1`, queryString: [{ name: "limit", value: "1" }] },
    response: { status: 200, statusText: "OK", content: { mimeType: "application/json" } },
    _operation: "clients.list",
    _outcome: "answered",
  });
  expect(second?.request.postData).toMatchObject({ mimeType: "application/json", text: '{"name":"é"}' });
  expect(second?.request.bodySize).toBe(13);
  expect(third?.request.postData).toMatchObject({ text: "/w==", comment: "base64" });
  expect(form?.request.postData?.params).toHaveLength(2);
  expect(form?.response.redirectURL).toMatch(/^\/v1\/diligence\/status\//);
  expect(await sandbox.requests.har({ limit: 1 })).toMatchObject({ log: { entries: [entries.at(-1)] } });
});
