// jest: `npx jest --testMatch '**/*.jest.cjs'`.
const { startSandbox } = require("claims-toolkit/sandbox");
const { verify } = require("claims-toolkit/signature");

let sandbox;
const send = (path, init = {}) =>
  fetch(sandbox.url + path, {
    ...init,
    headers: { authorization: `Bearer ${sandbox.credentials.sandbox.apiKey}`, ...init.headers },
  });

beforeAll(async () => {
  sandbox = await startSandbox({ frozenAt: "2026-11-20T00:00:00Z" });
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.close());

const newClient = { method: "POST", body: JSON.stringify({ name: "Paper Lantern Imports, LLC" }) };
const json = { "content-type": "application/json" };

test("retries with the same idempotency key create one client while the service fails", async () => {
  sandbox.faults.add({ match: { method: "POST" }, times: 2, then: { status: 503 } });
  const statuses = [];
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const response = await send("/v1/clients", {
      ...newClient,
      headers: { ...json, "idempotency-key": "k-1" },
    });
    statuses.push(response.status);
  }
  expect(statuses).toEqual([503, 503, 201, 201]);
  const { data } = await (await send("/v1/clients")).json();
  expect(data.filter(({ name }) => name.startsWith("Paper Lantern"))).toHaveLength(1);
});

test("advancing the clock delivers a webhook while jest uses fake timers", async () => {
  jest.useFakeTimers();
  const { deliveries } = await sandbox.webhooks.emit({ type: "partner.test" });
  await sandbox.clock.advance("30d");
  const delivery = await sandbox.webhooks.delivery(deliveries[0].deliveryId);
  jest.useRealTimers();
  expect(delivery.status).toBe("delivered");
  const secrets = [sandbox.credentials.webhook.signingSecret];
  const { headers } = delivery.attempts[0];
  expect(verify({ secrets, headers, body: delivery.body }).verdict).toBe("valid");
});
