import { expect, it } from "vitest";
import { pollUntilEnded, readJobProgress } from "../../../../src/client/wait.ts";
import { createSteppedRuntime } from "../../../support/client.ts";

/** The wall clock may be set: no wait reads it. */
function createRuntime() {
  const { pauses, runtime } = createSteppedRuntime();
  const now = () => {
    throw new Error("the wall clock was read");
  };
  // The deadline of a request. The requests here respond at once.
  const sleep = (milliseconds: number, signal?: AbortSignal) =>
    signal ? new Promise<void>(() => {}) : runtime.sleep(milliseconds);
  return { ...runtime, pauses, now, sleep };
}

const respondWithStates = (...states: string[]) => {
  let polls = 0;
  return async () => ({ seen: readJobProgress({ state: states[Math.min(polls++, states.length - 1)] }) });
};

it("pollUntilEnded polls every 100 ms at first, then after an eighth of the elapsed time, at most two seconds", async () => {
  const runtime = createRuntime();
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
