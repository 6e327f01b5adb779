// @vitest-environment jsdom
// vitest with jsdom: tests of a web page use a sandbox as any other tests do.
import { Client, operations } from "claims-toolkit";
import { type Sandbox, startSandbox } from "claims-toolkit/sandbox";
import { explain, verify } from "claims-toolkit/signature";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ frozenAt: "2026-11-20T00:00:00Z" });
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.close());

test("a page shows the clients of the service", async () => {
  const client = new Client({
    baseUrl: sandbox.url,
    credential: { kind: "api_key", key: sandbox.credentials.sandbox.apiKey },
    userAgent: "page",
    runtime: {
      now: Date.now,
      random: Math.random,
      sleep: (ms) => new Promise((done) => setTimeout(done, ms)),
    },
  });
  const response = await client.send(operations.clients.list);
  await client.close();
  const { data } = JSON.parse(new TextDecoder().decode(response.body));
  document.body.innerHTML = "<ul></ul>";
  for (const { name } of data) document.querySelector("ul")?.append(new Option(name));
  expect(document.querySelectorAll("option")).toHaveLength(data.length);
});

test("emit delivers an event with a valid signature", async () => {
  const { deliveries } = await sandbox.webhooks.emit({ type: "partner.test" });
  await sandbox.idle();
  const delivery = await sandbox.webhooks.delivery(deliveries[0]?.deliveryId ?? "");
  expect(delivery.status).toBe("delivered");
  const secrets = [sandbox.credentials.webhook.signingSecret];
  const headers = delivery.attempts[0]?.headers ?? [];
  const body = delivery.body ?? "";
  // A string, Node's bytes, and the bytes of jsdom's own realm.
  const realm = new Uint8Array(Buffer.from(body));
  for (const same of [body, Buffer.from(body), realm])
    expect(verify({ secrets, headers, body: same }).verdict).toBe("valid");
  const [cause] = explain({ secrets, headers, body: new Uint8Array([...realm, 0x0a]) }).causes;
  expect(cause?.id).toBe("body.trailing_newline");
});

test("an exported snapshot can be imported", async () => {
  await sandbox.webhooks.emit({ type: "partner.test" });
  await sandbox.idle();
  const exported = [...(await sandbox.snapshots.export("now"))].join("");
  await sandbox.snapshots.import("text", exported);
  await sandbox.snapshots.import("bytes", new Uint8Array(Buffer.from(exported)));
  const [text, bytes] = sandbox.snapshots.list();
  expect(bytes?.rows).toBe(text?.rows);
  await sandbox.snapshots.load("bytes");
  expect(await sandbox.webhooks.deliveries()).toHaveLength(1);
});
