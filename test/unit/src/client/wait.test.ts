import { expect, it } from "vitest";
import { pollUntilEnded, readJobProgress } from "../../../../src/client/wait.ts";

/** A runtime whose clock moves only while the caller sleeps, and which records the pauses. The wall clock may be set: no wait reads it. */
function createFakeRuntime() {
  let time = 0;
  const pauses: number[] = [];
  const sleep = async (milliseconds: number, signal?: AbortSignal) => {
    // The deadline of a request. The requests here respond at once.
    if (signal) return new Promise<void>(() => {});
    pauses.push(milliseconds);
    time += milliseconds;
  };
  const now = () => {
    throw new Error("the wall clock was read");
  };
  return { pauses, now, monotonic: () => time, random: () => 0, sleep };
}

const respondWithStates = (...states: string[]) => {
  let polls = 0;
  return async () => ({ seen: readJobProgress({ state: states[Math.min(polls++, states.length - 1)] }) });
};

it("pollUntilEnded polls every 100 ms at first, then after an eighth of the elapsed time, at most two seconds", async () => {
  const runtime = createFakeRuntime();
  await pollUntilEnded(respondWithStates("queued"), { runtime, timeoutMs: 60_000 });
  expect(runtime.pauses.slice(0, 8)).toEqual([100, 100, 100, 100, 100, 100, 100, 100]);
  expect(Math.max(...runtime.pauses)).toBe(2_000);
  expect(runtime.pauses.length).toBeLessThan(70);
});

it.each([
  [{ state: "queued" }, "queued"],
  [{ status: "done" }, "done"],
  [{ job: { state: "failed" } }, "failed"],
  [{ status: 7 }, "unknown"],
  ["text", "unknown"],
  [null, "unknown"],
])("readJobProgress reads the state of %j as %s", (body, state) =>
  expect(readJobProgress(body).state).toBe(state),
);
