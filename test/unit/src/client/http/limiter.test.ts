import { describe, expect, it } from "vitest";
import { AdaptiveLimiter } from "../../../../../src/client/http/limiter.ts";
import { clientForTest, createFastRuntime } from "../../../../support/client.ts";
import { sendJson, startScriptedService } from "../../../../support/scripted-service.ts";

/** A clock that only sleeping moves. */
function timeline() {
  let time = 0;
  const pauses: number[] = [];
  const sleep = async (milliseconds: number) => {
    pauses.push(milliseconds);
    time += milliseconds;
  };
  return { pauses, runtime: { now: () => time, random: () => 0, sleep } };
}

/** How many turns are to be had at once. */
async function room(pace: AdaptiveLimiter): Promise<number> {
  const releases: (() => void)[] = [];
  for (;;) {
    const stop = new AbortController();
    const turn = pace.acquire(stop.signal);
    turn.catch(() => {});
    const taken = await Promise.race([turn, new Promise<null>((resolve) => setImmediate(resolve, null))]);
    if (taken === null) {
      stop.abort();
      break;
    }
    releases.push(taken);
  }
  for (const release of releases) release();
  return releases.length;
}

describe("Pace", () => {
  it("starts as many requests as its limit, and the next one when one has ended", async () => {
    const pace = new AdaptiveLimiter({ runtime: timeline().runtime, concurrency: 2 });
    const [first] = [await pace.acquire(), await pace.acquire()];
    let started = false;
    const third = pace.acquire().then(() => {
      started = true;
    });
    await new Promise(setImmediate);
    expect(started).toBe(false);
    first?.();
    await third;
    expect(started).toBe(true);
  });

  it("keeps everybody waiting after a slow-down, halves the number and lets it grow again", async () => {
    const { pauses, runtime } = timeline();
    const pace = new AdaptiveLimiter({ runtime, concurrency: 8 });
    expect(await room(pace)).toBe(8);
    pace.slowDown(3_000);
    // Refused as well, and sent before anybody knew.
    pace.slowDown(2_000);
    expect(await room(pace)).toBe(4);
    expect(pauses).toEqual([3_000]);
    expect(await room(pace)).toBe(5);
    expect(await room(pace)).toBe(6);
    for (let rounds = 0; rounds < 5; rounds += 1) await room(pace);
    expect(await room(pace)).toBe(8);
  });

  it("never comes to a stop", async () => {
    const { runtime } = timeline();
    const pace = new AdaptiveLimiter({ runtime, concurrency: 2 });
    for (let refusals = 0; refusals < 5; refusals += 1) pace.slowDown(0);
    expect(await room(pace)).toBe(1);
  });

  it("rejects a request that is stopped while it waits", async () => {
    const pace = new AdaptiveLimiter({ runtime: timeline().runtime, concurrency: 1 });
    await pace.acquire();
    const stop = new AbortController();
    const waiting = pace.acquire(stop.signal);
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await expect(pace.acquire(stop.signal)).rejects.toThrow("enough");
  });
});

describe("a batch", () => {
  it("has no more requests under way than its pace allows, and all wait for one refusal", async () => {
    let underWay = 0;
    let most = 0;
    const { url, requests } = await startScriptedService((_, response, count) => {
      underWay += 1;
      most = Math.max(most, underWay);
      setTimeout(() => {
        underWay -= 1;
        if (count === 1) sendJson(response, 429, {}, { "retry-after": "2" });
        else sendJson(response, 200, {});
      }, 5);
    });
    const { pauses, runtime } = timeline();
    const pace = new AdaptiveLimiter({ runtime, concurrency: 3 });
    const client = clientForTest(url, { limiter: pace, runtime });
    await Promise.all(Array.from({ length: 9 }, () => client.sendRaw({ method: "GET", path: "/x" })));
    expect(requests).toHaveLength(10);
    expect(most).toBeLessThanOrEqual(3);
    expect(Math.max(...pauses)).toBe(2_000);
  });

  it("has as much patience as it is given", async () => {
    const { url, requests } = await startScriptedService((_, response) =>
      sendJson(response, 429, {}, { "retry-after": "60" }),
    );
    const { pauses, runtime } = createFastRuntime();
    const client = clientForTest(url, {
      runtime,
      retryPolicy: { maxAttempts: 6, maxPauseMs: 60_000 },
    });
    await expect(client.sendRaw({ method: "POST", path: "/x" })).rejects.toMatchObject({ status: 429 });
    expect(requests).toHaveLength(6);
    expect(pauses).toEqual(Array(5).fill(60_000));
    expect(new Set(requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
  });
});
