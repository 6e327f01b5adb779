import type { OPERATIONS } from "../../contract/operations/operations.ts";
import { nullable, number, object, oneOf, parseJsonAs, string, variant } from "../../domain/shape.ts";

export const SUBMIT_OPERATION = "diligence.submit" satisfies (typeof OPERATIONS)["diligence"]["submit"]["id"];

export const RESUME_OPERATION = "diligence.resume" satisfies (typeof OPERATIONS)["diligence"]["resume"]["id"];

/** Written before a write is sent. Times are RFC 3339. */
export interface Intent {
  readonly type: "intent";
  readonly at: string;
  readonly key: string;
  /** Id of the operation, or method and path of a raw request. */
  readonly operation: string;
  readonly baseUrl: string;
  readonly environment: string;
  /** Hex SHA-256 of operation, parameters, fields and file. Two writes with one hash are the same write. */
  readonly content: string;
  readonly seller: string | null;
  /** As the command line names it. */
  readonly file: string | null;
  /** Hex, of the file of a submission. It recognizes the same file with other metadata. */
  readonly fileSha256?: string | undefined;
  /** Absolute path of the file of a submission; absent for a pipe. */
  readonly path?: string | undefined;
  readonly bytes: number | null;
  /** The id in the path of the request: that of the job of a resume. */
  readonly target?: string | undefined;
  /** The process that sends the write. While it runs, the outcome is pending. */
  readonly pid: number;
  /** With the pid, these identify the process (`ProcessIdentity`). */
  readonly startTime?: string | undefined;
  readonly pidNamespace?: string | undefined;
  /** Of a local sandbox, as `/_sandbox/health` has it. */
  readonly instance?: string | undefined;
}

/** What says which write an event is about: two writes may share a key. */
export type WriteName = Pick<Intent, "key" | "content" | "baseUrl" | "environment" | "instance">;

type WriteOutcome = WriteName & Pick<Intent, "at">;

export interface Accepted extends WriteOutcome {
  readonly type: "accepted";
  readonly operation: string;
  readonly jobId: string | null;
  readonly status: number;
  /** Of a write that needs a decision by a person. */
  readonly code?: string | undefined;
  readonly responseFile?: string | undefined;
}

/** The service refused the write, or the command never sent it (`status` null). */
export interface Refused extends WriteOutcome {
  readonly type: "refused";
  readonly code: string;
  readonly status: number | null;
}

export interface Unknown extends WriteOutcome {
  readonly type: "unknown";
  readonly code: string;
  /** Absolute path of the response, if one came. */
  readonly responseFile?: string | undefined;
  /** Whether the service's contract lists `Idempotency-Key`, so that a later run may repeat the write. */
  readonly supportsIdempotencyKey?: boolean | undefined;
}

/** What a person recorded about a write with an unknown outcome (`claims history resolve`, `forget`). */
export interface Resolved extends WriteOutcome {
  readonly type: "resolved";
  readonly outcome: "accepted" | "refused" | "forgotten";
  readonly jobId: string | null;
}

export interface JobStateEvent {
  readonly type: "state";
  readonly at: string;
  readonly baseUrl: string;
  readonly jobId: string;
  readonly state: string;
}

/** A person has looked at a line of this log that cannot be read (`claims history forget --line`). */
export interface LineForgotten {
  readonly type: "line_forgotten";
  readonly at: string;
  /** The first line is 1. */
  readonly line: number;
  /** Hex SHA-256 of its bytes without the line feed. */
  readonly sha256: string;
}

export type WriteEvent = Intent | Accepted | Refused | Unknown | Resolved | JobStateEvent | LineForgotten;

const writeName = { key: string, content: string, baseUrl: string, environment: string };

const eventShape = variant("type", {
  intent: object({ ...writeName, at: string, operation: string }),
  accepted: object({ ...writeName, operation: string, jobId: nullable(string) }),
  refused: object({ ...writeName, code: string }),
  unknown: object({ ...writeName, code: string }),
  resolved: object({
    ...writeName,
    outcome: oneOf("accepted", "refused", "forgotten"),
    jobId: nullable(string),
  }),
  state: object({ baseUrl: string, jobId: string, state: string }),
  line_forgotten: object({ line: number, sha256: string }),
} satisfies Record<WriteEvent["type"], unknown>);

export const parseEvent = (line: string): WriteEvent | null => parseJsonAs(line, eventShape);
