import type { FaultSpec } from "./fault-rules.ts";

export interface FaultPreset {
  readonly summary: string;
  readonly rule: FaultSpec;
}

export const FAULT_PRESETS = {
  flaky: {
    summary: "one request in five gets a 503 before it is executed",
    rule: { probability: 0.2, then: { status: 503 } },
  },
  slow: {
    summary: "requests are executed two seconds late",
    rule: { then: { delay: "2s" } },
  },
  "rate-limited": {
    summary: "the next three requests get a 429 with Retry-After: 1",
    rule: { times: 3, then: { status: 429, retryAfter: 1 } },
  },
  "ghost-commit": {
    summary: "the next POST is executed, and the connection is reset instead of a response",
    rule: { match: { method: "POST" }, phase: "after", times: 1, then: { reset: true } },
  },
  "half-response": {
    summary: "the next request is executed, and the connection ends in the middle of the response",
    rule: { phase: "after", times: 1, then: { truncate: true } },
  },
  outage: {
    summary: "every request gets a 503 with Retry-After: 30",
    rule: { then: { status: 503, retryAfter: 30 } },
  },
} as const satisfies Readonly<Record<string, FaultPreset>>;

export type FaultPresetName = keyof typeof FAULT_PRESETS;

export const isFaultPreset = (name: unknown): name is FaultPresetName =>
  typeof name === "string" && Object.hasOwn(FAULT_PRESETS, name);
