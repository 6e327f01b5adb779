import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { verify } from "../../../../../src/signature.ts";
import { sandboxForTest } from "../../../../support/sandbox.ts";

/** Starts a receiver that responds with these statuses in order, and repeats the last one. */
async function startReceiver(...statuses: number[]) {
  const requests: { headers: [string, string][]; body: Buffer }[] = [];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const pairs = req.rawHeaders.flatMap((name, index, all): [string, string][] =>
      index % 2 === 0 ? [[name, all[index + 1] ?? ""]] : [],
    );
    requests.push({ headers: pairs, body: Buffer.concat(chunks) });
    res.writeHead(statuses[Math.min(requests.length, statuses.length) - 1] ?? 200).end("thanks");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, requests };
}

/** The fields of all responses that these tests read. */
interface Body {
  readonly id: string;
  readonly signingSecret: string;
  readonly secretPrefix: string;
  readonly body: string;
  readonly data: readonly object[];
  readonly errors: readonly { readonly pointer: string }[];
  readonly previews: readonly { readonly deliveryId: string; readonly headers: Record<string, string> }[];
}

async function call(sandbox: Sandbox, method: string, path: string, body?: object, headers: object = {}) {
  const response = await fetch(sandbox.url + path, {
    method,
    headers: {
      authorization: `Bearer ${sandbox.credentials.sandbox.apiKey}`,
      ...(body && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
}

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
    const key = { "idempotency-key": "one" };
    const made = await call(
      sandbox,
      "POST",
      "/v1/webhooks/endpoints",
      createRegistration("http://127.0.0.1:9/x"),
      key,
    );
    expect(made.status).toBe(201);
    expect(made.body.signingSecret).toMatch(/^whsec_[\w-]{43}$/);
    expect(made.body.signingSecret.startsWith(made.body.secretPrefix)).toBe(true);
    const again = await call(
      sandbox,
      "POST",
      "/v1/webhooks/endpoints",
      createRegistration("http://127.0.0.1:9/x"),
      key,
    );
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const { signingSecret, ...record } = made.body;
    expect(again.body).toEqual(record);
    const list = await call(sandbox, "GET", "/v1/webhooks/endpoints");
    expect(list.body.data[0]).toEqual(record);
    expect(JSON.stringify(list.body)).not.toContain(signingSecret);
  });

  it.each([
    ["an empty body", {}, ["/label", "/url", "/subscribedEvents", "/environmentScope"]],
    ["an unknown field", createRegistration("http://x.example/", { extra: 1 }), ["/extra"]],
    ["a blank label", createRegistration("http://x.example/", { label: " " }), ["/label"]],
    [
      "an empty list of events",
      createRegistration("http://x.example/", { subscribedEvents: [] }),
      ["/subscribedEvents"],
    ],
    [
      "a wildcard",
      createRegistration("http://x.example/", { subscribedEvents: ["partner.*"] }),
      ["/subscribedEvents/0"],
    ],
    [
      "an unknown scope",
      createRegistration("http://x.example/", { environmentScope: "test" }),
      ["/environmentScope"],
    ],
    ["a url that is not absolute", createRegistration("nowhere"), ["/url"]],
    ["another protocol", createRegistration("ftp://x.example/"), ["/url"]],
    ["no host", createRegistration("http:///x"), ["/url"]],
    ["a password", createRegistration("http://me:pw@x.example/"), ["/url"]],
    ["a fragment", createRegistration("http://x.example/hook#part"), ["/url"]],
    ["an empty fragment", createRegistration("http://x.example/hook#"), ["/url"]],
    ["white space around the url", createRegistration(" http://x.example/ "), ["/url"]],
    ["a line break in the url", createRegistration("http://x.example/a\nb"), ["/url"]],
    ["NUL in the url", createRegistration("http://x.example/a\u0000b"), ["/url"]],
    ["a url without //", createRegistration("http:x.example"), ["/url"]],
    ["a url with backslashes", createRegistration("http:\\\\x.example"), ["/url"]],
    ["an empty label", createRegistration("http://x.example/", { label: "" }), ["/label"]],
    ["a label that is not a string", createRegistration("http://x.example/", { label: 7 }), ["/label"]],
  ])("refuses %s and points to the field", async (_, body, pointers) => {
    const sandbox = await sandboxForTest();
    const response = await call(sandbox, "POST", "/v1/webhooks/endpoints", body);
    expect(response.status).toBe(422);
    expect(response.body.errors.map(({ pointer }) => pointer)).toEqual(pointers);
  });

  it("accepts a query and an escaped # in the url", async () => {
    const sandbox = await sandboxForTest();
    const url = "http://127.0.0.1:9/hook%23part?a=%23";
    const created = await call(sandbox, "POST", "/v1/webhooks/endpoints", createRegistration(url));
    expect([created.status, created.body]).toEqual([201, expect.objectContaining({ url })]);
  });
});

describe("the active endpoints of a partner", () => {
  it("are at most 100; an inactive one does not count", async () => {
    const sandbox = await sandboxForTest();
    const register = () =>
      call(sandbox, "POST", "/v1/webhooks/endpoints", createRegistration("http://127.0.0.1:9/x"));
    const { body: first } = await register();
    const countActive = async () =>
      (await sandbox.webhooks.endpoints()).filter(
        ({ partner, status }) => partner === 1 && status === "active",
      ).length;
    const missing = 100 - (await countActive());
    await Promise.all(Array.from({ length: missing }, register));
    const refused = await register();
    expect([refused.status, refused.body]).toMatchObject([422, { code: "too_many_endpoints" }]);
    await sandbox.webhooks.setStatus(first.id, "disabled");
    expect((await register()).status).toBe(201);
    await expect(sandbox.webhooks.setStatus(first.id, "active")).rejects.toMatchObject({
      code: "too_many_endpoints",
    });
    expect(await countActive()).toBe(100);
  });
});

describe("a test event", () => {
  it("is delivered as previewed, with a valid signature, and listed", async () => {
    const sandbox = await sandboxForTest();
    const { url, requests } = await startReceiver(200);
    const { body: endpoint } = await call(sandbox, "POST", "/v1/webhooks/endpoints", createRegistration(url));
    const { status, body } = await call(sandbox, "POST", "/v1/sandbox/webhooks/test", {
      eventType: "partner.test",
      environment: "sandbox",
      endpointId: endpoint.id,
    });
    expect(status).toBe(200);
    const list = await call(sandbox, "GET", `/v1/webhook-deliveries?endpointId=${endpoint.id}`);
    expect(list.body.data).toMatchObject([
      { id: body.previews[0]?.deliveryId, status: "delivered", attemptCount: 1, lastResponseStatus: 200 },
    ]);
    expect(requests).toHaveLength(1);
    const [{ headers = [], body: bytes = Buffer.alloc(0) } = {}] = requests;
    expect(bytes.toString()).toBe(body.body);
    expect(Object.fromEntries(headers)).toMatchObject(body.previews[0]?.headers ?? {});
    expect(verify({ secrets: [endpoint.signingSecret], headers, body: bytes }).verdict).toBe("valid");
  });

  it("is refused for a production endpoint", async () => {
    const sandbox = await sandboxForTest();
    const body = createRegistration("http://127.0.0.1:9/x", { environmentScope: "production" });
    const { body: endpoint } = await call(sandbox, "POST", "/v1/webhooks/endpoints", body);
    const event = { eventType: "partner.test", environment: "sandbox", endpointId: endpoint.id };
    const response = await call(sandbox, "POST", "/v1/sandbox/webhooks/test", event);
    expect([response.status, response.body]).toMatchObject([422, { code: "no_matching_endpoint" }]);
    const { data } = (await call(sandbox, "GET", "/v1/webhook-deliveries")).body;
    expect(data).toEqual([]);
  });

  it("is retried as the clock advances until the receiver accepts it", async () => {
    const sandbox = await sandboxForTest();
    const { url, requests } = await startReceiver(500, 503, 200);
    const { body: endpoint } = await call(sandbox, "POST", "/v1/webhooks/endpoints", createRegistration(url));
    await call(sandbox, "POST", "/v1/sandbox/webhooks/test", {
      eventType: "partner.test",
      environment: "sandbox",
      endpointId: endpoint.id,
    });
    const readDelivery = async () =>
      (await call(sandbox, "GET", `/v1/webhook-deliveries?endpointId=${endpoint.id}`)).body.data[0];
    expect(await readDelivery()).toMatchObject({
      status: "retrying",
      attemptCount: 1,
      lastResponseStatus: 500,
    });
    await sandbox.clock.advance("next");
    expect(await readDelivery()).toMatchObject({
      status: "retrying",
      attemptCount: 2,
      lastResponseStatus: 503,
    });
    const { ran } = await sandbox.clock.advance("idle");
    expect(ran).toHaveLength(1);
    expect(await readDelivery()).toMatchObject({ status: "delivered", attemptCount: 3, lastError: null });
    expect(new Set(requests.map(({ body }) => body.toString())).size).toBe(1);
  });
});
