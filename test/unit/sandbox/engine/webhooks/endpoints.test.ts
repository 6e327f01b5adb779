import { describe, expect, it } from "vitest";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import { call, post, problemOf } from "../../../../support/sandbox-requests.ts";

const PATH = "/v1/webhooks/endpoints";

const createRegistration = (url: string, more: object = {}) => ({
  label: "Receiver",
  url,
  subscribedEvents: ["partner.test"],
  environmentScope: "sandbox",
  ...more,
});

describe("POST /v1/webhooks/endpoints", () => {
  it("returns the secret once", async () => {
    const sandbox = await sandboxForTest();
    const headers = { "idempotency-key": "one" };
    const made = await post(sandbox, PATH, createRegistration("http://127.0.0.1:9/x"), { headers });
    expect(made.status).toBe(201);
    expect(made.body.signingSecret).toMatch(/^whsec_[\w-]{43}$/);
    const again = await post(sandbox, PATH, createRegistration("http://127.0.0.1:9/x"), { headers });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const { signingSecret, ...record } = made.body;
    expect(String(signingSecret).startsWith(String(record.secretPrefix))).toBe(true);
    expect(again.body).toEqual(record);
    const list = await call(sandbox, PATH);
    expect((list.body.data as object[])[0]).toEqual(record);
    expect(JSON.stringify(list.body)).not.toContain(signingSecret);
  });

  it.each([
    ...["nowhere", "ftp://x.example/", "http:///x", "http://me:pw@x.example/", "http:x.example"],
    ...["http://x.example/hook#part", "http://x.example/hook#", " http://x.example/ "],
    ...["http://x.example/a\nb", "http://x.example/a\0b", "http:\\\\x.example"],
  ])("refuses the url %j and points to it", async (url) => {
    const response = await post(await sandboxForTest(), PATH, createRegistration(url));
    expect(problemOf(response)).toEqual({ status: 422, code: "validation_failed", at: ["/url"] });
  });

  it("accepts a query and an escaped # in the url", async () => {
    const sandbox = await sandboxForTest();
    const url = "http://127.0.0.1:9/hook%23part?a=%23";
    const created = await post(sandbox, PATH, createRegistration(url));
    expect([created.status, created.body]).toEqual([201, expect.objectContaining({ url })]);
  });
});

it("the active endpoints of a partner are at most 100; an inactive one does not count", async () => {
  const sandbox = await sandboxForTest();
  const register = () => post(sandbox, PATH, createRegistration("http://127.0.0.1:9/x"));
  const { body: first } = await register();
  const countActive = async () =>
    (await sandbox.webhooks.endpoints()).filter(({ partner, status }) => partner === 1 && status === "active")
      .length;
  const missing = 100 - (await countActive());
  await Promise.all(Array.from({ length: missing }, register));
  const refused = await register();
  expect([refused.status, refused.body]).toMatchObject([422, { code: "too_many_endpoints" }]);
  await sandbox.webhooks.setStatus(String(first.id), "disabled");
  expect((await register()).status).toBe(201);
  await expect(sandbox.webhooks.setStatus(String(first.id), "active")).rejects.toMatchObject({
    code: "too_many_endpoints",
  });
  expect(await countActive()).toBe(100);
});

it("a test event is refused for a production endpoint", async () => {
  const sandbox = await sandboxForTest();
  const body = createRegistration("http://127.0.0.1:9/x", { environmentScope: "production" });
  const { body: endpoint } = await post(sandbox, PATH, body);
  const event = { eventType: "partner.test", environment: "sandbox", endpointId: endpoint.id };
  const response = await post(sandbox, "/v1/sandbox/webhooks/test", event);
  expect([response.status, response.body]).toMatchObject([422, { code: "no_matching_endpoint" }]);
  const { data } = (await call(sandbox, "/v1/webhook-deliveries")).body;
  expect(data).toEqual([]);
});
