import type { OperationId } from "../../src/contract/operations.ts";
import type { Delivery } from "../../src/contract/webhooks.ts";
import type { DroppedEvents } from "./activity.ts";
import type { HeaderPairs } from "./webhooks.ts";

// The request log. All of it is redacted: an allow-list decides which header values, query parameters and form fields stay,
// and every known secret is removed wherever it occurs.

/** The first 64 KiB of a body. All bodies together have 32 MiB; the oldest lose theirs first. */
export interface LoggedBody {
  /** Bytes of the whole body; null when unknown. */
  readonly size: number | null;
  /** Decoded (Content-Encoding); null when it is not UTF-8, or not kept. */
  readonly text: string | null;
  /** Replaces `text` when the body is not UTF-8. */
  readonly base64: string | null;
  /** Whether the body is longer than this. */
  readonly truncated: boolean;
  /** The text fields of a multipart form, wherever in the body they are; null for any other body. */
  readonly fields: HeaderPairs | null;
}

/** `aborted` by its client, `lost` by a fault, or still `running`. */
export type RequestOutcome = "answered" | "aborted" | "lost" | "running";

/** Where a request had a credential. Elsewhere than in the first two places, it was recognized by its form. */
export interface CredentialPlace {
  readonly place: "authorization" | "x-api-key" | "path" | "query" | "body" | "header";
  /** The scheme of Authorization in lower case, or the name of a parameter, a form field or a header; null without one. */
  readonly name: string | null;
  /** Null for a credential that does not show it. */
  readonly environment: "sandbox" | "production" | null;
}

/** Why the service refused a request, also where grease varies the shape of the response. */
export interface LoggedProblem {
  /** As in `validation_failed`. */
  readonly code: string;
  /** The invalid parts of the request. */
  readonly errors: readonly {
    /** The name of a parameter, or a JSON Pointer; null for neither. */
    readonly at: string | null;
    /** As in `required`. */
    readonly code: string;
  }[];
}

export interface LoggedRequest {
  /** Counted from 1, in the order in which requests arrived. */
  readonly number: number;
  readonly requestId: string;
  /** RFC 3339, of the sandbox clock. */
  readonly at: string;
  /** Wall time from the start of the sandbox to its arrival. */
  readonly elapsedMs: number;
  /** Wall time from the head of the request to the end of the response; null while it is running. */
  readonly durationMs: number | null;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly httpVersion: string;
  /** The template of the path; null when the service has no such route. */
  readonly route: string | null;
  /** The id of the contract's row. */
  readonly operation: string | null;
  /** Whether the interface shows the operation. */
  readonly basis: "documented" | "assumed" | null;
  /** For a broker alias (interface §4). */
  readonly alias: { readonly path: string; readonly canonicalPath: string } | null;
  /** The owner of the credential; null without a valid one. */
  readonly caller: { readonly partner: number; readonly environment: "sandbox" | "production" } | null;
  readonly credentials: readonly CredentialPlace[];
  readonly requestHeaders: HeaderPairs;
  readonly requestBody: LoggedBody | null;
  /** Also of a lost response; null without a response. */
  readonly status: number | null;
  /** Without those of the connection (Date, Connection, Keep-Alive). */
  readonly responseHeaders: HeaderPairs;
  readonly responseBody: LoggedBody | null;
  /** Null for a response of another kind, also for that of a fault. */
  readonly problem: LoggedProblem | null;
  readonly outcome: RequestOutcome;
  /** Describes the applied fault. */
  readonly fault: string | null;
  /** The variants of assumed behaviour in the response, as `dimension=variant`. */
  readonly varied: readonly string[];
  /** Whether the response is the stored one of an earlier request with this Idempotency-Key. */
  readonly idempotentReplay: boolean;
  /** The present state of the deliveries that it caused. */
  readonly webhooks: readonly Delivery[];
  /** The number of the request that `replay` repeated. */
  readonly replayOf: number | null;
}

/** Every field narrows the result. */
export interface RequestFilter {
  /** The id of the contract's row. */
  readonly operation?: OperationId;
  /** A status, or a class such as `4xx`. */
  readonly status?: string | number;
  readonly method?: string;
  /** Prefix of the path. */
  readonly path?: string;
  /** Only requests after this number. */
  readonly since?: number;
  /** Whether a fault was applied. */
  readonly fault?: boolean;
  /** Only the latest n. */
  readonly limit?: number;
}

export interface ReplayResult {
  readonly request: LoggedRequest;
  /** Whether status and body equal those of the first response, except request ids; null without a first response. */
  readonly same: boolean | null;
}

/** A line of the stream: a request that has ended, or the number of requests that a slow reader missed. */
export type RequestStreamLine = LoggedRequest | DroppedEvents;

/**
 * The latest requests to the service (`requestLogSize`), without those to the control API and its sinks. With the same seed,
 * a frozen clock and the same requests in turn, two logs differ only in durations and in the port.
 */
export interface SandboxRequests {
  /** Newest last. */
  list(filter?: RequestFilter): Promise<readonly LoggedRequest[]>;
  /** Finds by number or request id; prefers the newer of two with one id. */
  get(numberOrRequestId: number | string): Promise<LoggedRequest>;
  /**
   * Sends the same bytes again, including the credential. Rejects with `request_not_kept` when the log does not have the
   * whole body.
   */
  replay(numberOrRequestId: number | string, options?: { readonly newKey?: boolean }): Promise<ReplayResult>;
  /** HTTP Archive 1.2, for the developer tools of browsers. */
  har(filter?: RequestFilter): Promise<Har>;
  /** The next request has number 1 again. Marks of `mark()` stay valid. */
  clear(): Promise<void>;
}

/** HTTP Archive 1.2. Names that begin with `_` are ours, as the format allows. */
export interface Har {
  readonly log: {
    readonly version: "1.2";
    readonly creator: { readonly name: string; readonly version: string };
    readonly entries: readonly HarEntry[];
  };
}

interface NameValue {
  readonly name: string;
  readonly value: string;
}

export interface HarEntry {
  readonly startedDateTime: string;
  readonly time: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly httpVersion: string;
    readonly cookies: readonly NameValue[];
    readonly headers: readonly NameValue[];
    readonly queryString: readonly NameValue[];
    readonly postData?: {
      readonly mimeType: string;
      readonly text: string;
      readonly params: readonly NameValue[];
      readonly comment?: string;
    };
    readonly headersSize: number;
    readonly bodySize: number;
  };
  readonly response: {
    /** 0 without a response. */
    readonly status: number;
    readonly statusText: string;
    readonly httpVersion: string;
    readonly cookies: readonly NameValue[];
    readonly headers: readonly NameValue[];
    readonly content: {
      readonly size: number;
      readonly mimeType: string;
      readonly text?: string;
      readonly encoding?: "base64";
      readonly comment?: string;
    };
    readonly redirectURL: string;
    readonly headersSize: number;
    readonly bodySize: number;
  };
  readonly cache: Readonly<Record<string, never>>;
  readonly timings: { readonly send: number; readonly wait: number; readonly receive: number };
  readonly comment?: string;
  readonly _number: number;
  readonly _operation: string | null;
  readonly _outcome: RequestOutcome;
  readonly _fault: string | null;
}
