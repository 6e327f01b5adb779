import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import {
  type DeliveryEvent,
  toJsonLine,
} from "../../../../../../../src/cli/commands/webhooks/listen/delivery.ts";
import { DeliveryHandler } from "../../../../../../../src/cli/commands/webhooks/listen/delivery-handler.ts";
import { renderDelivery } from "../../../../../../../src/cli/commands/webhooks/listen/render-delivery.ts";
import { StopCondition } from "../../../../../../../src/cli/commands/webhooks/listen/stop-condition.ts";
import { sign } from "../../../../../../../src/signature.ts";

const SECRET = "whsec_bWFkZS11cC1mb3ItdGVzdHMtb25seS0wMDAwMDAwMDE";
const TIMESTAMP = "1795132800";

/** Delivers bodies with a signature that fits none of them; returns what is told of each, in order. */
async function tellOf(bodies: readonly string[], now: () => number): Promise<readonly DeliveryEvent[]> {
  const told: DeliveryEvent[] = [];
  const answers: number[] = [];
  const session = new DeliveryHandler({
    ...{ secrets: [SECRET], candidateSecrets: [], tolerance: undefined, forwardUnverified: false },
    // Nothing that is not verified is forwarded.
    forwarder: { forward: () => Promise.reject(new Error("forwarded")) } as never,
    recorder: null,
    stopCondition: new StopCondition({
      count: undefined,
      until: undefined,
      timeout: undefined,
      record: undefined,
    }),
    now: () => {
      // A search reads the clock, and begins only when its sender has an answer.
      expect(answers.length).toBeGreaterThan(told.length);
      return now();
    },
    emit: (each) => void told.push(each),
  });
  const signature = sign({ secret: SECRET, timestamp: TIMESTAMP, body: "another body" });
  const headers = [
    ["X-Service-Timestamp", TIMESTAMP],
    ["X-Service-Signature", signature],
  ] as const;
  const deliver = async (text: string) => {
    const body = Buffer.from(text);
    await session.handle({ at: 0, path: "/", headers, body, size: body.length }, ({ status }) => {
      answers.push(status);
    });
  };
  await Promise.all(bodies.map(deliver));
  expect(answers).toEqual(bodies.map(() => 401));
  return told;
}

describe("webhooks listen", () => {
  it("explains a delivery in full where the time allows it", async () => {
    const [told] = await tellOf(['{"a":1}'], () => 0);
    expect(told?.explanation).toMatchObject({ causes: [], complete: true, failure: null });
  });

  it("ends a search at its deadline, and says after how many variations", async () => {
    let milliseconds = 0;
    const [told] = await tellOf(['{"a":1}'], () => (milliseconds += 10));
    if (!told) throw new Error("nothing was told");
    expect(told.explanation).toMatchObject({ complete: false });
    expect(told.explanation?.tried).toBeLessThan(26);
    expect(JSON.parse(toJsonLine(told))).toMatchObject({ causes: [], complete: false });
    expect(renderDelivery(told)).toContain(`stopped after ${told.explanation?.tried} variations\n`);
  });

  it("goes on where an explanation fails, and says why", async () => {
    let calls = 0;
    const clock = () => {
      calls += 1;
      // The second call is made by the search.
      if (calls === 2) throw new Error("no clock");
      return 0;
    };
    const [failed, next] = await tellOf(["1", "2"], clock);
    if (!failed) throw new Error("nothing was told");
    expect(failed).toMatchObject({
      verdict: "mismatch",
      responseStatus: 401,
      explanation: { causes: [], tried: 0 },
    });
    expect(JSON.parse(toJsonLine(failed))).toMatchObject({ complete: false, failure: "Error: no clock" });
    expect(renderDelivery(failed)).toContain("the explanation failed: Error: no clock\n");
    expect(next?.explanation).toMatchObject({ complete: true, failure: null });
  });

  it("explains one at a time, and leaves out what comes while 16 wait", async () => {
    const told = await tellOf(Array.from({ length: 20 }, String), () => 0);
    expect(told.filter(({ explanation }) => explanation === null)).toHaveLength(4);
    expect(told).toHaveLength(20);
  });
});
