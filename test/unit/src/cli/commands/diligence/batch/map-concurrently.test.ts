import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { mapConcurrently } from "../../../../../../../src/cli/commands/diligence/batch/map-concurrently.ts";

async function gathered<T>(results: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const result of results) all.push(result);
  return all;
}

describe("work in parallel", () => {
  it("has no more than so many under way, and hands results on as they come", async () => {
    let underWay = 0;
    let most = 0;
    const results = await gathered(
      mapConcurrently([30, 1, 1, 1], 2, async (pause) => {
        underWay += 1;
        most = Math.max(most, underWay);
        await sleep(pause);
        underWay -= 1;
        return pause;
      }),
    );
    expect(most).toBe(2);
    expect(results).toEqual([1, 1, 1, 30]);
  });

  it("goes on with one stage while the next is busy", async () => {
    const begun: number[] = [];
    const first = mapConcurrently([1, 2, 3, 4], 1, async (n) => {
      begun.push(n);
      return n;
    });
    const second = mapConcurrently(first, 1, async (n) => {
      if (n === 1) while (begun.length < 4) await sleep(1);
      return n;
    });
    expect(await gathered(second)).toEqual([1, 2, 3, 4]);
  });

  it("finishes what is under way when one fails, and begins nothing else", async () => {
    const finished: number[] = [];
    const work = mapConcurrently([1, 2, 3, 4], 2, async (n) => {
      if (n === 1) throw new Error("one");
      await sleep(5);
      finished.push(n);
      return n;
    });
    await expect(gathered(work)).rejects.toThrow("one");
    expect(finished).toEqual([2]);
  });

  it("begins nothing else for a reader that leaves", async () => {
    const begun: number[] = [];
    for await (const _ of mapConcurrently([1, 2, 3, 4], 1, (n) => sleep(5).then(() => begun.push(n)))) break;
    expect(begun.length).toBeLessThan(4);
  });
});
