import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { mapConcurrently } from "../../../../../../../src/cli/commands/diligence/batch/map-concurrently.ts";

async function collect<T>(results: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const result of results) all.push(result);
  return all;
}

describe("mapConcurrently", () => {
  it("limits the work in flight, and yields results as they are ready", async () => {
    let inFlight = 0;
    let most = 0;
    const results = await collect(
      mapConcurrently([30, 1, 1, 1], 2, async (pause) => {
        inFlight += 1;
        most = Math.max(most, inFlight);
        await sleep(pause);
        inFlight -= 1;
        return pause;
      }),
    );
    expect(most).toBe(2);
    expect(results).toEqual([1, 1, 1, 30]);
  });

  it("continues one stage while the next is busy", async () => {
    const started: number[] = [];
    const first = mapConcurrently([1, 2, 3, 4], 1, async (n) => {
      started.push(n);
      return n;
    });
    const second = mapConcurrently(first, 1, async (n) => {
      if (n === 1) while (started.length < 4) await sleep(1);
      return n;
    });
    expect(await collect(second)).toEqual([1, 2, 3, 4]);
  });

  it("finishes the work in flight when one item fails, and starts no other", async () => {
    const finished: number[] = [];
    const work = mapConcurrently([1, 2, 3, 4], 2, async (n) => {
      if (n === 1) throw new Error("one");
      await sleep(5);
      finished.push(n);
      return n;
    });
    await expect(collect(work)).rejects.toThrow("one");
    expect(finished).toEqual([2]);
  });
});
