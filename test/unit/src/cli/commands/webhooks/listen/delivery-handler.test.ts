import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import {
  type DeliveryEvent,
  toJsonLine,
} from "../../../../../../../src/cli/commands/webhooks/listen/delivery.ts";
import {
  DeliveryHandler,
  StopCondition,
} from "../../../../../../../src/cli/commands/webhooks/listen/delivery-handler.ts";
import { createDeliveryRenderer } from "../../../../../../../src/cli/commands/webhooks/listen/render-delivery.ts";
import { sign } from "../../../../../../../src/signature.ts";

const SECRET = "whsec_bWFkZS11cC1mb3ItdGVzdHMtb25seS0wMDAwMDAwMDE";
const TIMESTAMP = "1795132800";

/** Delivers each body with a wrong signature; returns the events in order. */
async function deliver(bodies: readonly string[], now: () => number): Promise<readonly DeliveryEvent[]> {
  const events: DeliveryEvent[] = [];
  const statuses: number[] = [];
  const session = new DeliveryHandler({
    ...{ secrets: [SECRET], candidateSecrets: [], tolerance: undefined, forwardUnverified: false },
    // The handler must not forward an unverified delivery.
    forwarder: { forward: () => Promise.reject(new Error("forwarded")) } as never,
    recorder: null,
    stopCondition: new StopCondition({
      count: undefined,
      timeout: undefined,
      record: undefined,
    }),
    now: () => {
      // The search for a cause reads the clock; it must start after the response is sent.
      expect(statuses.length).toBeGreaterThan(events.length);
      return now();
    },
    emit: (each) => void events.push(each),
  });
  const signature = sign({ secret: SECRET, timestamp: TIMESTAMP, body: "another body" });
  const headers = [
    ["X-Service-Timestamp", TIMESTAMP],
    ["X-Service-Signature", signature],
  ] as const;
  const deliver = async (text: string) => {
    const body = Buffer.from(text);
    await session.handle({ at: 0, path: "/", headers, body, size: body.length }, ({ status }) => {
      statuses.push(status);
    });
  };
  await Promise.all(bodies.map(deliver));
  expect(statuses).toEqual(bodies.map(() => 401));
  return events;
}

describe("DeliveryHandler", () => {
  it("stops a search at its deadline and prints how many variations it tried", async () => {
    let milliseconds = 0;
    const [event] = await deliver(['{"a":1}'], () => (milliseconds += 10));
    if (!event) throw new Error("no event");
    expect(event.explanation).toMatchObject({ complete: false });
    expect(event.explanation?.tried).toBeLessThan(26);
    expect(JSON.parse(toJsonLine(event))).toMatchObject({ causes: [], complete: false });
    expect(createDeliveryRenderer(false)(event)).toMatch(/stopped after \d+ variations?\n/);
  });

  it("handles the next delivery after an explanation fails, and prints the failure", async () => {
    let calls = 0;
    const clock = () => {
      calls += 1;
      // The search makes the second call.
      if (calls === 2) throw new Error("no clock");
      return 0;
    };
    const [failed, next] = await deliver(["1", "2"], clock);
    if (!failed) throw new Error("no event");
    expect(failed).toMatchObject({
      verdict: "mismatch",
      responseStatus: 401,
      explanation: { causes: [], tried: 0 },
    });
    expect(JSON.parse(toJsonLine(failed))).toMatchObject({ complete: false, failure: "Error: no clock" });
    expect(createDeliveryRenderer(false)(failed)).toContain("the explanation failed: Error: no clock\n");
    expect(createDeliveryRenderer(true)(failed)).toContain("\u001b[31mmismatch");
    expect(next?.explanation).toMatchObject({ complete: true, failure: null });
  });

  it("explains deliveries one at a time, and skips the explanation while 16 wait", {
    tags: "large",
  }, async () => {
    const events = await deliver(Array.from({ length: 20 }, String), () => 0);
    expect(events.filter(({ explanation }) => explanation === null)).toHaveLength(4);
    expect(events).toHaveLength(20);
  });
});
