import type { OPERATIONS } from "../../contract/operations.ts";

/** The operation that makes jobs. */
export const SUBMIT_OPERATION = "diligence.submit" satisfies (typeof OPERATIONS)["diligence"]["submit"]["id"];

/** What is written before a write leaves. Times are RFC 3339. */
export interface Intent {
  readonly type: "intent";
  readonly at: string;
  /** The idempotency key. */
  readonly key: string;
  /** Id of the operation, or method and path of a raw request. */
  readonly operation: string;
  readonly baseUrl: string;
  readonly environment: string;
  /** Hex SHA-256 of operation, parameters, fields and file: what makes two writes the same. */
  readonly content: string;
  readonly seller: string | null;
  /** As it was named; null where there is none. */
  readonly file: string | null;
  /** Of the file. */
  readonly bytes: number | null;
  /** Of the process that sends it: while it lives, the outcome is on its way. */
  readonly pid: number;
  /** With the pid, which process that is (`ProcessIdentity`). Missing in journals of the first versions. */
  readonly startTime?: string | undefined;
  readonly pidNamespace?: string | undefined;
  /** Tells one run of a local sandbox from the next on the same port: its process. */
  readonly instance?: string | undefined;
}

/** What every outcome says of the write it is the end of. */
export interface WriteOutcome {
  readonly at: string;
  readonly key: string;
  /** That of the intent, with its `pid`: two writes may share a key. Missing in journals of the first versions. */
  readonly content?: string | undefined;
  readonly pid?: number | undefined;
}

/** The service took it. */
export interface Accepted extends WriteOutcome {
  readonly type: "accepted";
  /** Null where the answer names none. */
  readonly jobId: string | null;
  readonly status: number;
}

/** It was not carried out: the service said so, or it was never sent (`status` null). */
export interface Refused extends WriteOutcome {
  readonly type: "refused";
  readonly code: string;
  readonly status: number | null;
}

/** Nobody here knows whether it was carried out. */
export interface Unknown extends WriteOutcome {
  readonly type: "unknown";
  readonly code: string;
}

/** A later state of a job, as a command has seen it. */
export interface JobStateEvent {
  readonly type: "state";
  readonly at: string;
  readonly baseUrl: string;
  readonly jobId: string;
  readonly state: string;
}

export type WriteEvent = Intent | Accepted | Refused | Unknown | JobStateEvent;

const REQUIRED_TEXTS: Readonly<Record<WriteEvent["type"], readonly string[]>> = {
  intent: ["at", "key", "operation", "baseUrl", "environment", "content"],
  accepted: ["key"],
  refused: ["key", "code"],
  unknown: ["key", "code"],
  state: ["baseUrl", "jobId", "state"],
};

/** The record of a line; null for a line that is none. */
export function parseEvent(line: string): WriteEvent | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // What is no JSON is no record: whoever reads counts it.
    return null;
  }
  const record = Object(value) as Record<string, unknown>;
  const { type } = record;
  if (typeof type !== "string" || !Object.hasOwn(REQUIRED_TEXTS, type)) return null;
  const names = REQUIRED_TEXTS[type as WriteEvent["type"]];
  const isWhole = names.every((name) => typeof record[name] === "string");
  const saysWhich = type !== "accepted" || record.jobId === null || typeof record.jobId === "string";
  return isWhole && saysWhich ? (value as WriteEvent) : null;
}
