import { expect, it } from "vitest";
import { AdaptiveLimiter } from "../../../../../src/client/http/limiter.ts";
import { clientForTest, createSteppedRuntime } from "../../../../support/client.ts";
import { sendJson, startScriptedService } from "../../../../support/scripted-service.ts";

/** Counts how many requests the limiter starts at once. */
async function countFreeSlots(limiter: AdaptiveLimiter): Promise<number> {
  const releases: (() => void)[] = [];
  for (;;) {
    const stop = new AbortController();
    const slot = limiter.acquire(stop.signal);
    slot.catch(() => {});
    const release = await Promise.race([slot, new Promise<null>((resolve) => setImmediate(resolve, null))]);
    if (release === null) {
      stop.abort();
      break;
    }
    releases.push(release);
  }
  for (const free of releases) free();
  return releases.length;
}

it("AdaptiveLimiter pauses all requests after a 429, halves the limit and raises it again step by step", async () => {
  const { pauses, runtime } = createSteppedRuntime();
  const limiter = new AdaptiveLimiter({ runtime, concurrency: 8 });
  expect(await countFreeSlots(limiter)).toBe(8);
  limiter.slowDown(3_000);
  // A second refusal of a request that was sent before the first one was known.
  limiter.slowDown(2_000);
  expect(await countFreeSlots(limiter)).toBe(4);
  expect(pauses).toEqual([3_000]);
  expect(await countFreeSlots(limiter)).toBe(5);
  expect(await countFreeSlots(limiter)).toBe(6);
  for (let rounds = 0; rounds < 5; rounds += 1) await countFreeSlots(limiter);
  expect(await countFreeSlots(limiter)).toBe(8);
});

it("requests of a limited client stay within the limit, and all pause after one 429", async () => {
  let inFlight = 0;
  let most = 0;
  const { url, requests } = await startScriptedService((_, response, count) => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    setTimeout(() => {
      inFlight -= 1;
      if (count === 1) sendJson(response, 429, {}, { "retry-after": "2" });
      else sendJson(response, 200, {});
    }, 5);
  });
  const { pauses, runtime } = createSteppedRuntime();
  const limiter = new AdaptiveLimiter({ runtime, concurrency: 3 });
  const client = clientForTest(url, { limiter, runtime });
  await Promise.all(Array.from({ length: 9 }, () => client.sendRaw({ method: "GET", path: "/x" })));
  expect(requests).toHaveLength(10);
  expect(most).toBeLessThanOrEqual(3);
  expect(Math.max(...pauses)).toBe(2_000);
});
