import { execFileSync } from "node:child_process";
import { createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { startSandbox } from "../../../../../sandbox/index.ts";
import { verify } from "../../../../../src/signature.ts";
import { ROOT } from "../../../../support/cli.ts";
import { listenOnLoopback } from "../../../../support/listen.ts";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import { waitUntil } from "../../../../support/sandbox-requests.ts";
import { answersWith, callerOf, header, receiver } from "./receiver.ts";

describe("what is sent", () => {
  it("has the same body in every attempt, with a new timestamp and signature", async () => {
    const { url, received } = await receiver(answersWith(500));
    const sandbox = await sandboxForTest();
    const { register, emit } = callerOf(sandbox);
    const { id, signingSecret } = await register(url);
    await emit({ endpointId: id, data: { text: 'Zürich\u2028 "quoted" </b>', amount: 1.5 } });
    await sandbox.clock.advance("idle");
    expect(received).toHaveLength(10);
    expect(new Set(received.map(({ body }) => body.toString("hex"))).size).toBe(1);
    const timestamps = received.map((delivery) => header(delivery, "X-Service-Timestamp"));
    expect(new Set(timestamps).size).toBe(10);
    expect(timestamps).toEqual([...timestamps].sort());
    for (const delivery of received) {
      expect(verify({ secrets: [signingSecret], ...delivery }).verdict).toBe("valid");
      const base = Buffer.concat([Buffer.from(`${header(delivery, "X-Service-Timestamp")}.`), delivery.body]);
      const digest = execFileSync("openssl", ["dgst", "-sha256", "-hmac", signingSecret, "-r"], {
        input: base,
      });
      expect(digest.toString()).toMatch(header(delivery, "X-Service-Signature"));
    }
  });

  it("has the documented headers and the payload's fields, in this order", async () => {
    const { url, received } = await receiver();
    const sandbox = await sandboxForTest();
    const { register, emit } = callerOf(sandbox);
    const { id } = await register(url);
    const { eventId } = await emit({ endpointId: id, type: "claim.updated", data: { a: 1 } });
    await sandbox.idle();
    const [{ headers = [], body = Buffer.alloc(0) } = {}] = received;
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

describe("the endpoints of an event", () => {
  it("follow from scope and subscription", async () => {
    const sandbox = await sandboxForTest();
    const { register, emit, setStatus } = callerOf(sandbox);
    const { url, received } = await receiver();
    const own = async (name: string, more: object) => [name, await register(`${url}/${name}`, more)] as const;
    const all = new Map([
      await own("sandbox", { environmentScope: "sandbox" }),
      await own("production", { environmentScope: "production" }),
      await own("all", { environmentScope: "all" }),
      await own("rotated", { environmentScope: "all", subscribedEvents: ["partner.credential.rotated"] }),
      await own("both", { environmentScope: "all", subscribedEvents: ["partner.test", "claim.updated"] }),
      await own("disabled", { environmentScope: "all" }),
      await own("revoked", { environmentScope: "all" }),
    ]);
    for (const status of ["disabled", "revoked"]) await setStatus(all.get(status)?.id ?? "", status);
    const receivers = async (event: object) => {
      received.length = 0;
      await emit(event);
      await sandbox.idle();
      return received.map(({ path }) => path.replace("/hook/", ""));
    };
    expect(await receivers({ type: "partner.test" })).toEqual(["sandbox", "all", "both"]);
    expect(await receivers({ environment: "production" })).toEqual(["production", "all", "both"]);
    expect(await receivers({ type: "partner.credential.rotated" })).toEqual(["rotated"]);
    expect(await receivers({ type: "claim.updated" })).toEqual(["both"]);
    expect(await receivers({ type: "claim.update" })).toEqual([]);
  });
});

describe("with a running clock", () => {
  /** A receiver that holds each delivery for a moment, and a running sandbox. */
  async function running(options = {}) {
    const held = await receiver(async (_delivery, response) => {
      await sleep(20);
      response.end();
    });
    const sandbox = await sandboxForTest({ frozenAt: undefined, ...options } as object);
    return { ...held, sandbox, ...callerOf(sandbox) };
  }

  it("sends at most four at once to one endpoint", async () => {
    const { url, received, seen, register, emit } = await running();
    const { id } = await register(url);
    await Promise.all(Array.from({ length: 30 }, () => emit({ endpointId: id })));
    await waitUntil(() => received.length === 30);
    expect(seen.most).toBeLessThanOrEqual(4);
    expect(seen.most).toBeGreaterThan(1);
  });

  it("sends at most 64 at once in all", async () => {
    const { url, received, seen, register, emit } = await running();
    for (let count = 0; count < 20; count += 1) await register(url);
    await Promise.all(Array.from({ length: 10 }, () => emit()));
    await waitUntil(() => received.length === 200);
    expect(seen.most).toBeLessThanOrEqual(64);
    expect(seen.most).toBeGreaterThan(4);
  });

  it("does not let a hanging endpoint delay the others", async () => {
    const { url: mute } = await receiver(() => {});
    const { url, received, register, emit } = await running({ webhookTimeoutMs: 60_000 });
    const stuck = await register(mute);
    const { id } = await register(url);
    for (let count = 0; count < 100; count += 1) await emit({ endpointId: stuck.id });
    await emit({ endpointId: id });
    await waitUntil(() => received.length === 1);
  });

  it("retries by itself", async () => {
    const { url, received } = await receiver(answersWith(500, 500, 200));
    const { register, test, deliveries } = await running({ webhookRetries: "0,20ms,20ms" });
    const { id } = await register(url);
    await test(id);
    await waitUntil(() => received.length === 3);
    await waitUntil(async () => (await deliveries(`?endpointId=${id}`))[0]?.status === "delivered");
  });
});

describe("a receiver that calls back", () => {
  it("gets a response during its own delivery", async () => {
    const sandbox = await sandboxForTest({ webhookTimeoutMs: 20_000 });
    const { register, test, emit, deliveries, resend, control } = callerOf(sandbox);
    const { url: other, received: others } = await receiver(answersWith(200));
    const { id: quiet } = await register(other);
    await test(quiet);
    const [{ id: earlier = "" } = {}] = await deliveries();
    const { url, received } = await receiver(async (_delivery, response) => {
      await deliveries();
      await test(quiet);
      await emit({ endpointId: quiet });
      await resend(earlier);
      await control("GET", "/clock");
      response.end("done");
    });
    const { id } = await register(url);
    await test(id);
    await sandbox.idle();
    expect(received).toHaveLength(1);
    expect(others).toHaveLength(4);
    expect(await deliveries()).toMatchObject(
      Array.from({ length: 4 }, () => ({ status: "delivered", lastResponseStatus: 200 })),
    );
  });
});

describe("a receiver that resends its own delivery", () => {
  it.each([
    ["a frozen", {}],
    ["a running", { frozenAt: undefined }],
  ])("gets a response before it responds: %s clock", async (_which, options) => {
    const sandbox = await sandboxForTest({ webhookTimeoutMs: 5_000, ...options } as object);
    const { register, test, delivery, attempts, resend } = callerOf(sandbox);
    const { url } = await receiver(async (_delivery, response, count) => {
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
  });
});

describe("closing", () => {
  it.each([
    ["a frozen", {}],
    ["a running", { frozenAt: undefined }],
  ])("%s sandbox ends deliveries in flight at once", async (_which, options) => {
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
    const { register, test, deliveries } = callerOf(sandbox);
    const { id } = await register(url);
    for (let count = 0; count < 10; count += 1) await test(id);
    await waitUntil(() => sockets.size > 0);
    // This wait never ends.
    const asked = deliveries().catch((error: unknown) => error);
    await sandbox.close();
    await asked;
    await waitUntil(() => sockets.size === 0);
    expect(errors).toEqual([]);
  });
});

it("works with fake timers of the host", async () => {
  // What is shipped: only there undici takes its timers from node:timers.
  const shipped: typeof import("../../../../../sandbox/index.ts") = await import(`${ROOT}/dist/sandbox.js`);
  const { url, received, seen } = await receiver(answersWith(500, 200));
  vi.useFakeTimers({ now: 0 });
  try {
    await using sandbox = await shipped.startSandbox({ webhookRetries: "0,10ms" });
    const { register, test } = callerOf(sandbox);
    const { id } = await register(url);
    for (let count = 1; count <= 3; count += 1) {
      await test(id);
      await waitUntil(() => received.length === count + 1);
    }
    // A connection is used again only where undici's timers run.
    expect(seen.connections).toBeLessThan(4);
  } finally {
    vi.useRealTimers();
  }
});

describe("many endpoints", () => {
  it("all get their delivery", async () => {
    const { url, received } = await receiver();
    const sandbox = await sandboxForTest();
    const { register, emit } = callerOf(sandbox);
    const count = 1_000;
    const paths = Array.from({ length: count }, (_, at) => `/hook/${at}`);
    const left = [...paths];
    const work = async () => {
      for (let path = left.pop(); path !== undefined; path = left.pop())
        await register(url.replace("/hook", path), { subscribedEvents: ["scan.done"] });
    };
    await Promise.all(Array.from({ length: 16 }, work));
    const { deliveries } = await emit({ type: "scan.done" });
    expect(deliveries).toHaveLength(count);
    await sandbox.idle();
    expect(received.map(({ path }) => path).sort()).toEqual([...paths].sort());
  });
});
