import { afterAll, describe, expect, it } from "vitest";
import { openSandbox } from "../../../support/sandbox.ts";
import { call, post, readJob, submitAndSettle } from "../../../support/sandbox-requests.ts";
import { createCaller } from "../../../support/webhook-caller.ts";

const sandbox = await openSandbox();
afterAll(() => sandbox.close());

describe("Accept (RFC 9110 §12.5.1)", () => {
  it.each([
    ["application/json; charset=utf-8", "application/json"],
    ["text/csv; charset=utf-8", "text/csv"],
    ['text/csv;charset="UTF-8", application/json;q=0.5', "text/csv"],
    ["application/x-ndjson;charset=utf-8", "application/x-ndjson"],
    ["text/csv", "text/csv"],
    ["*/*", "application/json"],
    ["image/png", null],
    ["text/csv; charset=iso-8859-1", null],
  ])("of %s gets the dataset as %s, or 406", async (accept, type) => {
    const response = await readJob(sandbox, "dataset", await submitAndSettle(sandbox), {
      headers: { accept },
    });
    expect([response.status, response.headers.get("vary")]).toEqual([type === null ? 406 : 200, "Accept"]);
    if (type !== null) expect(response.headers.get("content-type")).toBe(`${type}; charset=utf-8`);
  });
});

describe("the methods of a path", () => {
  const sendOptions = (path: string) =>
    call(sandbox, path, {
      method: "OPTIONS",
      headers: { origin: "https://app.example", "access-control-request-method": "POST" },
      token: null,
    });

  it.each([
    ["/v1/clients", "GET, HEAD, OPTIONS, POST"],
    ["/v1/diligence/report/none", "GET, HEAD, OPTIONS"],
    ["/api/diligence/submit", "OPTIONS, POST"],
    ["/broker/v1/onboard", "OPTIONS, POST, PUT"],
  ])("OPTIONS of %s gets 204 with Allow and without CORS headers", async (path, allow) => {
    const response = await sendOptions(path);
    expect([response.status, response.text, response.headers.get("allow")]).toEqual([204, "", allow]);
    expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  it("are named in the 405 for another one", async () => {
    const { status, headers, body } = await call(sandbox, "/v1/diligence/submit");
    expect([status, body.code, headers.get("allow")]).toEqual([405, "method_not_allowed", "OPTIONS, POST"]);
  });

  it("OPTIONS of an unknown path gets 404", async () => {
    expect((await sendOptions("/v1/client")).status).toBe(404);
  });
});

describe("404 for an unknown path", () => {
  it.each([
    ["/v1/webhook/endpoints", "/v1/webhooks/endpoints"],
    ["/v1/client", "/v1/clients"],
    ["/diligence/submit", "/v1/diligence/submit"],
    ["/broker/portfolio/scan", "/broker/v1/portfolio/scan"],
    ["/v1/revenue/ledgers?limit=1", "/v1/revenue/ledger"],
    ["/v1/diligence/submit/", "/v1/diligence/submit"],
    ["/v1/diligence/stat", "/v1/diligence/status/{jobId}"],
  ])("suggests for %s the path %s", async (path, closest) => {
    const response = await call(sandbox, path);
    expect(response.status).toBe(404);
    expect(response.body.detail).toContain(`The closest one is ${closest}.`);
  });

  it.each([
    ["/favicon.ico", "/favicon.ico"],
    ["a prefix of all routes", "/v1"],
    ["a long segment", `/${"x".repeat(300)}`],
    ["a path of 4,000 segments", `/${"a/".repeat(4_000)}`],
  ])("suggests no route for %s", async (_, path) => {
    const response = await call(sandbox, path);
    expect(response.body.detail).toContain("GET /v1/docs/openapi lists the routes.");
  });
});

it("POST /v1/sandbox/webhooks/test checks the environment before the body", async () => {
  const token = sandbox.credentials.production.apiKey;
  for (const body of [{}, { eventType: "partner.test", environment: "production" }]) {
    const response = await post(sandbox, "/v1/sandbox/webhooks/test", body, { token });
    expect([response.status, response.body.code]).toEqual([403, "wrong_environment"]);
  }
  const empty = await call(sandbox, "/v1/sandbox/webhooks/test", { method: "POST", token });
  expect(empty.status).toBe(403);
});

describe("a POST without a body", () => {
  it.each([
    ["/v1/clients", "application/json"],
    ["/v1/clients", "text/plain"],
    ["/v1/clients", null],
    ["/v1/diligence/submit", "multipart/form-data; boundary=x"],
    ["/v1/diligence/submit", null],
  ])("to %s with Content-Type %s gets 400", async (path, type) => {
    const headers = type === null ? {} : { "content-type": type };
    const response = await call(sandbox, path, { method: "POST", headers });
    expect([response.status, response.body.code]).toEqual([400, "malformed_request"]);
    expect(response.body.detail).toContain("The request has no body");
  });

  it("to the token route gets invalid_request", async () => {
    const response = await call(sandbox, "/v1/oauth/token", { method: "POST", token: null });
    expect([response.status, response.body.error]).toEqual([400, "invalid_request"]);
    expect(response.body.error_description).toContain("The request has no body");
  });
});

describe("a UUID in upper case", () => {
  it("identifies records in paths, queries and bodies", async () => {
    const id = await submitAndSettle(sandbox);
    const upper = id.toUpperCase();
    for (const resource of ["status", "report"]) {
      const response = await readJob(sandbox, resource, upper);
      expect([response.status, response.body.jobId]).toEqual([200, id]);
    }
    const client = await post(sandbox, "/v1/clients", { name: "Upper", reference: upper });
    expect(client.body.reference).toBe(upper);
    const clientId = String(client.body.id).toUpperCase();
    const claim = await post(sandbox, "/v1/claims", { clientId, jobId: upper });
    expect([claim.status, claim.body.jobId, claim.body.clientId]).toEqual([201, id, client.body.id]);
    const claimId = String(claim.body.id).toUpperCase();
    expect((await call(sandbox, `/v1/claims/status?claimId=${claimId}`)).status).toBe(200);
    const list = await call(sandbox, `/v1/claims?clientId=${clientId}&jobId=${upper}`);
    expect(list.body.data).toMatchObject([{ id: claim.body.id }]);
    const scan = await post(sandbox, "/v1/portfolio-scans", { mode: "full", jobIds: [upper] });
    expect([scan.status, scan.body.jobCount]).toEqual([202, 1]);
    const scanId = String(scan.body.id ?? scan.body.scanId).toUpperCase();
    await sandbox.idle();
    expect((await call(sandbox, `/broker/v1/portfolio/summary?scanId=${scanId}`)).status).toBe(200);
    const { endpointId } = sandbox.credentials.webhook;
    const event = { eventType: "partner.test", environment: "sandbox", endpointId: endpointId.toUpperCase() };
    expect((await post(sandbox, "/v1/sandbox/webhooks/test", event)).status).toBe(200);
    const sent = await call(sandbox, `/v1/webhook-deliveries?endpointId=${endpointId.toUpperCase()}`);
    expect(sent.body.data).toMatchObject([{ endpointId }]);
  });

  it("is the same request for an Idempotency-Key", async () => {
    const client = await post(sandbox, "/v1/clients", { name: "Same" });
    const id = await submitAndSettle(sandbox);
    const claim = (jobId: string) =>
      post(
        sandbox,
        "/v1/claims",
        { clientId: client.body.id, jobId },
        { headers: { "idempotency-key": "upper" } },
      );
    expect((await claim(id)).status).toBe(201);
    expect((await claim(id.toUpperCase())).headers.get("idempotent-replayed")).toBe("true");
  });
});

it("a cursor is valid for the same filter with any limit, and refused for another filter", async () => {
  const { register, test } = createCaller(sandbox);
  for (const name of ["one", "two", "three"]) await register(`http://127.0.0.1:9/${name}`);
  await test();
  await sandbox.idle();
  const read = (query: string) => call(sandbox, `/v1/webhook-deliveries?${query}`);
  const first = await read("limit=1&eventType=partner.test");
  const cursor = `cursor=${first.body.nextCursor}`;
  expect((await read(`limit=2&eventType=partner.test&${cursor}`)).status).toBe(200);
  for (const other of ["", "eventType=partner.credential.rotated", "eventType=partner.test&status=queued"]) {
    const refused = await read(`${other}&${cursor}`);
    expect([refused.status, refused.body.code]).toEqual([400, "cursor_invalid"]);
    expect(refused.body.detail).toContain("filter");
  }
});
