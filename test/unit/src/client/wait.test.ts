import { describe, expect, it } from "vitest";
import { pollUntilEnded, readJobProgress } from "../../../../src/client/wait.ts";

/** A clock that only sleeping moves, and the pauses that were slept. */
function patience() {
  let time = 0;
  const pauses: number[] = [];
  const sleep = async (milliseconds: number, signal?: AbortSignal) => {
    // The deadline of a request, which answers at once here.
    if (signal) return new Promise<void>(() => {});
    pauses.push(milliseconds);
    time += milliseconds;
  };
  return { pauses, now: () => time, random: () => 0, sleep };
}

const answering = (...states: string[]) => {
  let asked = 0;
  return async () => ({ seen: readJobProgress({ state: states[Math.min(asked++, states.length - 1)] }) });
};

describe("waitUntilEnded", () => {
  it("gives up on a service that says nothing, when the time is up", async () => {
    const surroundings = { ...patience(), sleep: async () => {} };
    const waiting = pollUntilEnded(() => new Promise<never>(() => {}), {
      runtime: surroundings,
      timeoutMs: 5_000,
    });
    await expect(waiting).rejects.toMatchObject({
      kind: "unreachable",
      message: expect.stringContaining("5 s"),
    });
  });

  it("asks until the job has ended, in whatever words the service says so", async () => {
    const surroundings = patience();
    const states: string[] = [];
    const job = await pollUntilEnded(answering("queued", "RUNNING", "Succeeded"), {
      runtime: surroundings,
      timeoutMs: 60_000,
      onProgress: ({ state }) => states.push(state),
    });
    expect(job.seen.state).toBe("Succeeded");
    expect(states).toEqual(["queued", "RUNNING", "Succeeded"]);
  });

  it("asks often at first, then every eighth of the time waited, every two seconds at the least", async () => {
    const surroundings = patience();
    await pollUntilEnded(answering("queued"), { runtime: surroundings, timeoutMs: 60_000 });
    expect(surroundings.pauses.slice(0, 8)).toEqual([100, 100, 100, 100, 100, 100, 100, 100]);
    expect(Math.max(...surroundings.pauses)).toBe(2_000);
    expect(surroundings.pauses.length).toBeLessThan(70);
  });

  it("gives the last answer when the time is up, and sleeps no longer than that", async () => {
    const surroundings = patience();
    const job = await pollUntilEnded(answering("processing"), { runtime: surroundings, timeoutMs: 250 });
    expect(job.seen.state).toBe("processing");
    expect(surroundings.now()).toBe(250);
  });
});

describe("seeJob", () => {
  it.each([
    [{ state: "queued" }, "queued"],
    [{ status: "done" }, "done"],
    [{ job: { state: "failed" } }, "failed"],
    [{ status: 7 }, "unknown"],
    ["text", "unknown"],
    [null, "unknown"],
  ])("of %j is %s", (body, state) => expect(readJobProgress(body).state).toBe(state));
});
