import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { Client, type ClientOptions } from "../../src/client/client.ts";

/** The key of {@link clientForTest}. */
export const KEY = "sk_client_test_key";

/** The real clock, no jitter, and pauses of 1 ms that are recorded. */
export function createFastRuntime() {
  const pauses: number[] = [];
  const pause = async (milliseconds: number, signal?: AbortSignal) => {
    pauses.push(milliseconds);
    await sleep(1, undefined, signal && { signal });
  };
  return { pauses, surroundings: { now: Date.now, random: () => 0, sleep: pause } };
}

/** A client in this process, closed after the test. */
export function clientForTest(baseUrl: string, options: Partial<ClientOptions> = {}): Client {
  const client = new Client({
    baseUrl,
    credential: { kind: "api_key", key: KEY },
    runtime: createFastRuntime().surroundings,
    userAgent: "test",
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

/** Returns the error that the promise rejects with; fails if it resolves. */
export async function catchError(ending: Promise<unknown>): Promise<unknown> {
  return ending.then(
    (value) => {
      throw new Error(`did not fail but gave ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
}
