import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { Client } from "../../src/client/client.ts";
import type { ClientOptions } from "../../src/client/client-options.ts";

/** The API key that {@link clientForTest} sends. */
export const KEY = "sk_client_test_key";

/** A runtime with the real clock, without jitter, whose pauses are recorded and last 1 ms. */
export function createFastRuntime() {
  const pauses: number[] = [];
  const pause = async (milliseconds: number, signal?: AbortSignal) => {
    pauses.push(milliseconds);
    await sleep(1, undefined, signal && { signal });
  };
  return { pauses, runtime: { now: Date.now, random: () => 0, sleep: pause } };
}

/** A runtime whose clock moves only while the caller sleeps, and which records the pauses. */
export function createSteppedRuntime() {
  let time = 0;
  const pauses: number[] = [];
  const sleep = async (milliseconds: number) => {
    pauses.push(milliseconds);
    time += milliseconds;
  };
  return { pauses, runtime: { now: () => time, monotonic: () => time, random: () => 0, sleep } };
}

/** Creates a client and closes it after the test. */
export function clientForTest(baseUrl: string, options: Partial<ClientOptions> = {}): Client {
  const client = new Client({
    baseUrl,
    credential: { kind: "api_key", key: KEY },
    runtime: createFastRuntime().runtime,
    userAgent: "test",
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

/** Returns the error that the promise rejects with; fails if it resolves. */
export async function catchError(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`expected a rejection, got ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
}
