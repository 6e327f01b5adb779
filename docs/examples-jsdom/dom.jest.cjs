/** @jest-environment jsdom */
// jest with jsdom: tests of a web page use a sandbox as any other tests do.
const { Client, operations } = require("claims-toolkit");
const { startSandbox } = require("claims-toolkit/sandbox");
const { explain, verify } = require("claims-toolkit/signature");

let sandbox;

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
  const { data } = JSON.parse(response.body);
  document.body.innerHTML = "<ul></ul>";
  for (const { name } of data) document.querySelector("ul").append(new Option(name));
  expect(document.querySelectorAll("option")).toHaveLength(data.length);
});

test("emit delivers an event with a valid signature", async () => {
  const { deliveries } = await sandbox.webhooks.emit({ type: "partner.test" });
  await sandbox.idle();
  const { status, attempts, body } = await sandbox.webhooks.delivery(deliveries[0].deliveryId);
  expect(status).toBe("delivered");
  const secrets = [sandbox.credentials.webhook.signingSecret];
  const { headers } = attempts[0];
  // A string, Node's bytes, and the bytes of jsdom's own realm.
  const realm = new Uint8Array(Buffer.from(body));
  for (const same of [body, Buffer.from(body), realm])
    expect(verify({ secrets, headers, body: same }).verdict).toBe("valid");
  const [cause] = explain({ secrets, headers, body: new Uint8Array([...realm, 0x0a]) }).causes;
  expect(cause.id).toBe("body.trailing_newline");
});

test("an exported snapshot can be imported", async () => {
  await sandbox.webhooks.emit({ type: "partner.test" });
  await sandbox.idle();
  const exported = [...(await sandbox.snapshots.export("now"))].join("");
  await sandbox.snapshots.import("text", exported);
  await sandbox.snapshots.import("bytes", new Uint8Array(Buffer.from(exported)));
  const [text, bytes] = sandbox.snapshots.list();
  expect(bytes.rows).toBe(text.rows);
  await sandbox.snapshots.load("bytes");
  expect(await sandbox.webhooks.deliveries()).toHaveLength(1);
});
