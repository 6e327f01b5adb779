import { createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../../../../sandbox/index.ts";
import { verify } from "../../../../../src/signature.ts";
import { listenOnLoopback } from "../../../../support/listen.ts";
import { headerOf, respondWith, startReceiver } from "../../../../support/receiver.ts";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import { waitUntil } from "../../../../support/sandbox-requests.ts";
import { createCaller } from "../../../../support/webhook-caller.ts";

describe("the request of a delivery", () => {
  it("has the same body in every attempt, with a new timestamp and signature", async () => {
    const { url, requests } = await startReceiver(respondWith(500));
    const sandbox = await sandboxForTest();
    const { register, emit } = createCaller(sandbox);
    const { id, signingSecret } = await register(url);
    await emit({ endpointId: id, data: { text: 'Zürich\u2028 "quoted" </b>', amount: 1.5 } });
    await sandbox.clock.advance("idle");
    expect(requests).toHaveLength(10);
    expect(new Set(requests.map(({ body }) => body.toString("hex"))).size).toBe(1);
    const timestamps = requests.map((delivery) => headerOf(delivery.headers, "X-Service-Timestamp"));
    expect(new Set(timestamps).size).toBe(10);
    expect(timestamps).toEqual([...timestamps].sort());
    for (const delivery of requests) {
      expect(verify({ secrets: [signingSecret], ...delivery }).verdict).toBe("valid");
    }
  });

  it("has the documented headers and the payload fields in a fixed order", async () => {
    const { url, requests } = await startReceiver();
    const sandbox = await sandboxForTest();
    const { register, emit } = createCaller(sandbox);
    const { id } = await register(url);
    const { eventId } = await emit({ endpointId: id, type: "claim.updated", data: { a: 1 } });
    await sandbox.idle();
    const [{ headers = [], body = Buffer.alloc(0) } = {}] = requests;
    const names = headers
      .map(([name]) => name)
      .filter((name) => !/^(host|connection|content-length)$/.test(name));
    expect(names).toEqual([
      ...["Content-Type", "User-Agent"],
      ...["X-Service-Event", "X-Service-Timestamp", "X-Service-Signature"],
    ]);
    expect(body.toString()).toBe(
      `{"id":"${eventId}","type":"claim.updated","environment":"sandbox","createdAt":"2026-11-20T00:00:00.000Z","data":{"a":1}}`,
    );
  });
});

it("the endpoints of an event are selected by scope, subscription and status", async () => {
  const sandbox = await sandboxForTest();
  const { register, emit, setStatus } = createCaller(sandbox);
  const { url, requests } = await startReceiver();
  const registerNamed = async (name: string, more: object) =>
    [name, await register(`${url}/${name}`, more)] as const;
  const all = new Map([
    await registerNamed("sandbox", { environmentScope: "sandbox" }),
    await registerNamed("production", { environmentScope: "production" }),
    await registerNamed("all", { environmentScope: "all" }),
    await registerNamed("rotated", {
      environmentScope: "all",
      subscribedEvents: ["partner.credential.rotated"],
    }),
    await registerNamed("both", {
      environmentScope: "all",
      subscribedEvents: ["partner.test", "claim.updated"],
    }),
    await registerNamed("disabled", { environmentScope: "all" }),
    await registerNamed("revoked", { environmentScope: "all" }),
  ]);
  for (const status of ["disabled", "revoked"]) await setStatus(all.get(status)?.id ?? "", status);
  const receivers = async (event: object) => {
    requests.length = 0;
    await emit(event);
    await sandbox.idle();
    return requests.map(({ path }) => path.slice(1));
  };
  expect(await receivers({ type: "partner.test" })).toEqual(["sandbox", "all", "both"]);
  expect(await receivers({ environment: "production" })).toEqual(["production", "all", "both"]);
  expect(await receivers({ type: "partner.credential.rotated" })).toEqual(["rotated"]);
  expect(await receivers({ type: "claim.updated" })).toEqual(["both"]);
  expect(await receivers({ type: "claim.update" })).toEqual([]);
});

describe("deliveries on a running clock", () => {
  /** Starts a receiver that responds after 20 ms, and a sandbox whose clock runs. */
  async function startWithRunningClock(options = {}) {
    const slowReceiver = await startReceiver(async (_delivery, response) => {
      await sleep(20);
      response.end();
    });
    const sandbox = await sandboxForTest({ frozenAt: undefined, ...options } as object);
    return { ...slowReceiver, sandbox, ...createCaller(sandbox) };
  }

  it("go to one endpoint at most four at a time", async () => {
    const { url, requests, counts, register, emit } = await startWithRunningClock();
    const { id } = await register(url);
    await Promise.all(Array.from({ length: 30 }, () => emit({ endpointId: id })));
    await waitUntil(() => requests.length === 30);
    expect(counts.most).toBeLessThanOrEqual(4);
    expect(counts.most).toBeGreaterThan(1);
  });
});

it("a receiver that calls back gets responses of the sandbox while its own delivery is in flight", async () => {
  const sandbox = await sandboxForTest({ webhookTimeoutMs: 20_000 });
  const { register, test, emit, deliveries, resend, callControl } = createCaller(sandbox);
  const { url: other, requests: others } = await startReceiver(respondWith(200));
  const { id: quiet } = await register(other);
  await test(quiet);
  const [{ id: earlier = "" } = {}] = await deliveries();
  const { url, requests } = await startReceiver(async (_delivery, response) => {
    await deliveries();
    await test(quiet);
    await emit({ endpointId: quiet });
    await resend(earlier);
    await callControl("GET", "/clock");
    response.end("done");
  });
  const { id } = await register(url);
  await test(id);
  await sandbox.idle();
  expect(requests).toHaveLength(1);
  expect(others).toHaveLength(4);
  expect(await deliveries()).toMatchObject(
    Array.from({ length: 4 }, () => ({ status: "delivered", lastResponseStatus: 200 })),
  );
});

it.each([
  ["a frozen", {}],
  ["a running", { frozenAt: undefined }],
])(
  "a receiver that resends its own delivery gets a response before its own delivery ends, with %s clock",
  async (_which, options) => {
    const sandbox = await sandboxForTest({ webhookTimeoutMs: 5_000, ...options } as object);
    const { register, test, delivery, attempts, resend } = createCaller(sandbox);
    const { url } = await startReceiver(async (_delivery, response, count) => {
      if (count === 1) await resend((await delivery(id)).id);
      response.end("done");
    });
    const { id } = await register(url);
    await test(id);
    await sandbox.idle();
    const trace = (await attempts((await delivery(id)).id)).map(({ trigger, error }) => [trigger, error]);
    expect(trace).toEqual([
      ["resend", null],
      ["schedule", null],
    ]);
  },
);

it.each([
  ["a frozen", {}],
  ["a running", { frozenAt: undefined }],
])("close() ends deliveries in flight at once, with %s clock", async (_which, options) => {
  const sockets = new Set<Socket>();
  const hanging = createServer((socket) => {
    sockets.add(
      socket
        .resume()
        .on("error", () => {})
        .on("close", () => sockets.delete(socket)),
    );
  });
  const url = `http://${await listenOnLoopback(hanging)}`;
  const errors: unknown[] = [];
  const sandbox = await startSandbox({
    ...{ frozenAt: "2026-11-20T00:00:00Z", webhookTimeoutMs: 600_000, ...options },
    onError: (error: unknown) => errors.push(error),
  } as object);
  const { register, test, deliveries } = createCaller(sandbox);
  const { id } = await register(url);
  for (let count = 0; count < 10; count += 1) await test(id);
  await waitUntil(() => sockets.size > 0);
  // The delivery never ends, so this request waits until the sandbox closes.
  const pendingList = deliveries().catch((error: unknown) => error);
  await sandbox.close();
  await pendingList;
  await waitUntil(() => sockets.size === 0);
  expect(errors).toEqual([]);
});
