import { describe, expect, it } from "vitest";
import { Outages } from "../../../../src/client/outages.ts";
import { unreachableError } from "../../../../src/domain/errors.ts";
import { createSteppedRuntime } from "../../../support/client.ts";

/** The outages of a run whose clock moves only while a request waits. */
function setUp(retryForMs?: number) {
  const { pauses, runtime } = createSteppedRuntime();
  const lines: (string | null)[] = [];
  const outages = new Outages({
    runtime,
    retryForMs,
    onOutage: (error) => lines.push(error?.message ?? null),
  });
  return { lines, outages, pauses, runtime };
}

const REFUSED = unreachableError("unreachable", "connection refused", { hint: "wait", retryable: true });

/** Waits as a request does, until it may not be sent again. */
async function waitUntilFinal(outages: Outages, pauseMs: number): Promise<void> {
  for (;;) {
    const limitedMs = outages.beginPause(pauseMs);
    if (limitedMs === null) return;
    await outages.pause(REFUSED, limitedMs);
  }
}

describe("Outages", () => {
  it("lets requests wait in all as long as --retry-for, with a last attempt at its end", async () => {
    const { outages, pauses } = setUp(5_000);
    await waitUntilFinal(outages, 2_000);
    expect(pauses).toEqual([2_000, 2_000, 1_000]);
    outages.recordResponse();
    expect(outages.beginPause(1)).toBeNull();
  });

  it("does not count the time while the service responds", async () => {
    const { outages, pauses, runtime } = setUp(5_000);
    await outages.pause(REFUSED, outages.beginPause(3_000) ?? 0);
    outages.recordContact();
    await runtime.sleep(60_000);
    await waitUntilFinal(outages, 3_000);
    expect(pauses).toEqual([3_000, 60_000, 2_000]);
  });

  it("bounds the requests of a repeated read by its deadline", async () => {
    const { outages } = setUp(60_000);
    let canRetryInWork: boolean | undefined;
    const work = async () => {
      canRetryInWork = outages.canRetryForLong;
      return [outages.beginPause(2_999), outages.beginPause(3_000)];
    };
    expect(await outages.retryThroughOutage(work, 3_000)).toEqual([2_999, null]);
    expect([canRetryInWork, outages.canRetryForLong]).toEqual([false, true]);
  });

  it("prints a line when the first wait begins, and later only for a long one", async () => {
    const { lines, outages } = setUp(60_000);
    const wait = async (pauseMs: number) => {
      await outages.pause(REFUSED, outages.beginPause(pauseMs) ?? 0);
      outages.recordContact();
    };
    await wait(100);
    await wait(100);
    await wait(2_000);
    expect(lines).toEqual(["connection refused", null, "connection refused", null]);
  });
});
