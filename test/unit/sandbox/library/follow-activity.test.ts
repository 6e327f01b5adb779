import { describe, expect, it } from "vitest";
import { createBoundedQueue } from "../../../../sandbox/library/follow-activity.ts";

/** Reads until the queue is empty. */
async function readWaiting<T>(items: AsyncGenerator<T>, count: number): Promise<T[]> {
  const read: T[] = [];
  while (read.length < count) read.push((await items.next()).value);
  return read;
}

describe("bounded queue", () => {
  it("drops and counts items beyond a thousand, and continues after the reader has seen the gap", async () => {
    const stop = new AbortController();
    const queue = createBoundedQueue<{ readonly n: number }>(stop.signal);
    for (let n = 0; n < 1_012; n += 1) queue.push({ n });
    const items = queue.read();
    const read = await readWaiting(items, 1_001);
    expect(read.slice(-2)).toEqual([{ n: 999 }, { dropped: 12 }]);
    queue.push({ n: 2_000 });
    expect(await readWaiting(items, 1)).toEqual([{ n: 2_000 }]);
  });

  it("ends with the signal, also while it waits", async () => {
    const stop = new AbortController();
    const next = createBoundedQueue(stop.signal).read().next();
    stop.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});
