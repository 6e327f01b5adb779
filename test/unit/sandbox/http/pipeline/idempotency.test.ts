import { afterEach, beforeEach, expect, test } from "vitest";
import { fingerprintRequest } from "../../../../../sandbox/http/pipeline/idempotency.ts";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { openSandbox } from "../../../../support/sandbox.ts";
import {
  call,
  callControl,
  entriesCsv,
  entryNumber,
  partnerRequest,
  submissionForm,
  submit,
} from "../../../../support/sandbox-requests.ts";

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await openSandbox();
});
afterEach(() => sandbox.close());

const withKey = (key: string, headers: Record<string, string> = {}) => ({
  headers: { "idempotency-key": key, ...headers },
});
const countJobs = async () => (await callControl(sandbox, "GET", "/state")).body.jobs;

test("a repeated request with an Idempotency-Key gets the stored response, on either path", async () => {
  const first = await submit(sandbox, submissionForm(), withKey("one"));
  await sandbox.idle();
  const repeated = await submit(sandbox, submissionForm(), withKey("one"));
  const legacy = await call(sandbox, "/api/diligence/submit", {
    method: "POST",
    body: submissionForm(),
    ...withKey("one"),
  });
  expect(first.headers.get("idempotent-replayed")).toBeNull();
  for (const repeat of [repeated, legacy]) {
    expect(repeat.status).toBe(202);
    expect(repeat.text).toBe(first.text);
    expect(repeat.headers.get("idempotent-replayed")).toBe("true");
    expect(repeat.headers.get("location")).toBe(first.headers.get("location"));
    expect(repeat.headers.get("retry-after")).toBe("1");
  }
  expect(await countJobs()).toEqual({ completed: 1 });
});

test.each([
  ["another file", submissionForm({ file: entriesCsv([entryNumber("ZZ9", 2)]) })],
  ["another seller", submissionForm({ seller_name: "Other" })],
  ["another flag", submissionForm({ requires_protest_documentation: "false" })],
])("an Idempotency-Key with %s is refused", async (_name, other) => {
  await submit(sandbox, submissionForm(), withKey("one"));
  const response = await submit(sandbox, other, withKey("one"));
  expect([response.status, response.body.code]).toEqual([422, "idempotency_key_reused"]);
  await sandbox.idle();
  expect(await countJobs()).toEqual({ completed: 1 });
});

test("an Idempotency-Key is kept for 24 hours of sandbox time", async () => {
  const first = await submit(sandbox, submissionForm(), withKey("one"));
  await sandbox.clock.advance("23h59m59s");
  expect((await submit(sandbox, submissionForm(), withKey("one"))).text).toBe(first.text);
  await sandbox.clock.advance("1s");
  const later = await submit(sandbox, submissionForm(), withKey("one"));
  expect(later.status).toBe(202);
  expect(later.body.jobId).not.toBe(first.body.jobId);
});

test("an Idempotency-Key belongs to its partner and environment", async () => {
  const { sandbox: own, production, otherPartner } = sandbox.credentials;
  const ids = new Set<unknown>();
  for (const { apiKey } of [own, production, otherPartner]) {
    ids.add((await submit(sandbox, submissionForm(), { token: apiKey, ...withKey("one") })).body.jobId);
  }
  expect(ids.size).toBe(3);
});

test("an error is not stored for an Idempotency-Key, so the same key can be sent again", async () => {
  expect((await submit(sandbox, submissionForm({ seller_name: null }), withKey("one"))).status).toBe(422);
  expect((await submit(sandbox, submissionForm(), withKey("one"))).status).toBe(202);
});

test("a second request with an Idempotency-Key is refused while the first one is in progress", async () => {
  const request = partnerRequest(sandbox, "POST /v1/diligence/submit", {
    "idempotency-key": "one",
    "content-type": "multipart/form-data; boundary=b",
  });
  const ended = new Promise((resolve) => request.on("error", resolve));
  request.write("--b\r\n");
  // After this response the server has read the headers of the open request.
  await countJobs();
  const second = await submit(sandbox, submissionForm(), withKey("one"));
  expect([second.status, second.body.code]).toEqual([409, "request_in_progress"]);
  expect(second.headers.get("retry-after")).toBe("1");
  request.destroy();
  await ended;
  let status = 409;
  while (status === 409) ({ status } = await submit(sandbox, submissionForm(), withKey("one")));
  expect(status).toBe(202);
});

test.each(["x".repeat(256), "a b", "schlüssel"])("%s is not a valid Idempotency-Key", async (key) => {
  const response = await submit(sandbox, submissionForm(), withKey(key));
  expect([response.status, response.body.code]).toEqual([422, "validation_failed"]);
  expect(response.body.errors).toMatchObject([{ parameter: "Idempotency-Key" }]);
});

test("fingerprintRequest distinguishes bodies of every kind by their content", () => {
  const json = (content: unknown) => fingerprintRequest({}, { kind: "json", content });
  const form = (text: string) =>
    fingerprintRequest(
      {},
      { kind: "form", content: { fields: Object.fromEntries(new URLSearchParams(text)), repeated: null } },
    );
  expect(json({ a: 1, b: [2] })).toBe(json({ b: [2], a: 1 }));
  expect(json({ a: 1 })).not.toBe(json({ a: 2 }));
  expect(form("a=1&b=2")).toBe(form("b=2&a=1"));
  expect(form("a=1")).not.toBe(form("a=2"));
  expect(fingerprintRequest({ id: "1" }, { kind: "none", content: null })).not.toBe(
    fingerprintRequest({ id: "2" }, { kind: "none", content: null }),
  );
});
