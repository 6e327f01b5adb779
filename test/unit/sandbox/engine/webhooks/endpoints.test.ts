import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { verify } from "../../../../../src/signature.ts";
import { sandboxForTest } from "../../../../support/sandbox.ts";

/** A receiver that answers each delivery with the next of these statuses, the last one from then on. */
async function receiver(...statuses: number[]) {
  const received: { headers: [string, string][]; body: Buffer }[] = [];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const pairs = req.rawHeaders.flatMap((name, index, all): [string, string][] =>
      index % 2 === 0 ? [[name, all[index + 1] ?? ""]] : [],
    );
    received.push({ headers: pairs, body: Buffer.concat(chunks) });
    res.writeHead(statuses[Math.min(received.length, statuses.length) - 1] ?? 200).end("thanks");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received };
}

/** Of the answers of this file, all that is looked at. */
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
  const answer = await fetch(sandbox.url + path, {
    method,
    headers: {
      authorization: `Bearer ${sandbox.credentials.sandbox.apiKey}`,
      ...(body && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Body };
}

const register = (url: string, more: object = {}) => ({
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
    const made = await call(sandbox, "POST", "/v1/webhooks/endpoints", register("http://127.0.0.1:9/x"), key);
    expect(made.status).toBe(201);
    expect(made.body.signingSecret).toMatch(/^whsec_[\w-]{43}$/);
    expect(made.body.signingSecret.startsWith(made.body.secretPrefix)).toBe(true);
    const again = await call(
      sandbox,
      "POST",
      "/v1/webhooks/endpoints",
      register("http://127.0.0.1:9/x"),
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
    ["an unknown field", register("http://x.example/", { extra: 1 }), ["/extra"]],
    ["a blank label", register("http://x.example/", { label: " " }), ["/label"]],
    ["no event", register("http://x.example/", { subscribedEvents: [] }), ["/subscribedEvents"]],
    [
      "a wildcard",
      register("http://x.example/", { subscribedEvents: ["partner.*"] }),
      ["/subscribedEvents/0"],
    ],
    ["a scope", register("http://x.example/", { environmentScope: "test" }), ["/environmentScope"]],
    ["no address", register("nowhere"), ["/url"]],
    ["another protocol", register("ftp://x.example/"), ["/url"]],
    ["no host", register("http:///x"), ["/url"]],
    ["a password", register("http://me:pw@x.example/"), ["/url"]],
    ["white space around the address", register(" http://x.example/ "), ["/url"]],
    ["a line break in the address", register("http://x.example/a\nb"), ["/url"]],
    ["NUL in the address", register("http://x.example/a\u0000b"), ["/url"]],
    ["half an address", register("http:x.example"), ["/url"]],
    ["an address the other way round", register("http:\\\\x.example"), ["/url"]],
    ["no label", register("http://x.example/", { label: "" }), ["/label"]],
    ["another type", register("http://x.example/", { label: 7 }), ["/label"]],
  ])("refuses %s and names the field", async (_, body, pointers) => {
    const sandbox = await sandboxForTest();
    const answer = await call(sandbox, "POST", "/v1/webhooks/endpoints", body);
    expect(answer.status).toBe(422);
    expect(answer.body.errors.map(({ pointer }) => pointer)).toEqual(pointers);
  });
});

describe("a test event", () => {
  it("is delivered as previewed, signed and listed", async () => {
    const sandbox = await sandboxForTest();
    const { url, received } = await receiver(200);
    const { body: endpoint } = await call(sandbox, "POST", "/v1/webhooks/endpoints", register(url));
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
    expect(received).toHaveLength(1);
    const [{ headers = [], body: bytes = Buffer.alloc(0) } = {}] = received;
    expect(bytes.toString()).toBe(body.body);
    expect(Object.fromEntries(headers)).toMatchObject(body.previews[0]?.headers ?? {});
    expect(verify({ secrets: [endpoint.signingSecret], headers, body: bytes }).verdict).toBe("valid");
  });

  it("does not go to a production endpoint, also if it is named", async () => {
    const sandbox = await sandboxForTest();
    const body = register("http://127.0.0.1:9/x", { environmentScope: "production" });
    const { body: endpoint } = await call(sandbox, "POST", "/v1/webhooks/endpoints", body);
    const event = { eventType: "partner.test", environment: "sandbox", endpointId: endpoint.id };
    const answer = await call(sandbox, "POST", "/v1/sandbox/webhooks/test", event);
    expect([answer.status, answer.body]).toMatchObject([422, { code: "no_matching_endpoint" }]);
    const { data } = (await call(sandbox, "GET", "/v1/webhook-deliveries")).body;
    expect(data).toEqual([]);
  });

  it("is retried on the clock until the receiver accepts it", async () => {
    const sandbox = await sandboxForTest();
    const { url, received } = await receiver(500, 503, 200);
    const { body: endpoint } = await call(sandbox, "POST", "/v1/webhooks/endpoints", register(url));
    await call(sandbox, "POST", "/v1/sandbox/webhooks/test", {
      eventType: "partner.test",
      environment: "sandbox",
      endpointId: endpoint.id,
    });
    const look = async () =>
      (await call(sandbox, "GET", `/v1/webhook-deliveries?endpointId=${endpoint.id}`)).body.data[0];
    expect(await look()).toMatchObject({ status: "retrying", attemptCount: 1, lastResponseStatus: 500 });
    await sandbox.clock.advance("next");
    expect(await look()).toMatchObject({ status: "retrying", attemptCount: 2, lastResponseStatus: 503 });
    const { ran } = await sandbox.clock.advance("idle");
    expect(ran).toHaveLength(1);
    expect(await look()).toMatchObject({ status: "delivered", attemptCount: 3, lastError: null });
    expect(new Set(received.map(({ body }) => body.toString())).size).toBe(1);
  });
});
