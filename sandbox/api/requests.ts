import type { Delivery } from "../../src/contract/webhooks.ts";
import type { HeaderPairs } from "./webhooks.ts";

// What whoever runs a sandbox reads of the requests to it, from the handle and over the control API alike. Everything here
// is redacted: header values, query parameters and form fields by an allow-list, and a secret wherever else it stands.

/** A body as far as it is kept: the first 64 KiB, and of all bodies together 32 MiB, the oldest losing theirs first. */
export interface LoggedBody {
  /** Bytes of all of it; null where nobody counted them. */
  readonly size: number | null;
  /** With its Content-Encoding undone; null where it is not UTF-8, or not kept. */
  readonly text: string | null;
  /** In place of `text` where it is not UTF-8. */
  readonly base64: string | null;
  /** Whether this is less than all of it. */
  readonly truncated: boolean;
  /** The text fields of a multipart form, wherever in the body they stand; null for any other body. */
  readonly fields: HeaderPairs | null;
}

/** How a request ended: `aborted` by its client, `lost` by a fault. One that `running` is has not ended. */
export type RequestOutcome = "answered" | "aborted" | "lost" | "running";

/** A request to the service, and what became of it. */
export interface LoggedRequest {
  /** Counted from 1, in the order in which requests arrived. */
  readonly number: number;
  readonly requestId: string;
  /** RFC 3339, of the sandbox clock. */
  readonly at: string;
  /** Wall time from the head of the request to the end of the answer; null while it is running. */
  readonly durationMs: number | null;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly httpVersion: string;
  /** The template of the path; null where the service has no such route. */
  readonly route: string | null;
  /** The id of the contract's row. */
  readonly operation: string | null;
  /** Whether the interface shows that operation. */
  readonly basis: "documented" | "assumed" | null;
  /** Where the path was a broker alias (interface §4). */
  readonly alias: { readonly path: string; readonly canonicalPath: string } | null;
  /** Whose credential it was; null where it was none. */
  readonly caller: { readonly partner: number; readonly environment: "sandbox" | "production" } | null;
  /** As they came. */
  readonly requestHeaders: HeaderPairs;
  /** Null where there was none. */
  readonly requestBody: LoggedBody | null;
  /** Also of an answer that was lost; null where there was none. */
  readonly status: number | null;
  /** As the service set them; what the connection adds (Date, Connection, Keep-Alive) is not among them. */
  readonly responseHeaders: HeaderPairs;
  readonly responseBody: LoggedBody | null;
  readonly outcome: RequestOutcome;
  /** What of it was made to fail, in words. */
  readonly fault: string | null;
  /** What of the assumed part of the contract the answer had its own way. */
  readonly varied: readonly string[];
  /** Whether the answer was kept for its Idempotency-Key from an earlier request. */
  readonly idempotentReplay: boolean;
  /** The deliveries of the events that were emitted with it, as they are now. */
  readonly webhooks: readonly Delivery[];
  /** The number of the request that this one repeats, sent by `replay`. */
  readonly replayOf: number | null;
}

/** Which requests; each part narrows further. */
export interface RequestFilter {
  /** The id of the contract's row. */
  readonly operation?: string;
  /** A status, or a class of them as `4xx`. */
  readonly status?: string | number;
  readonly method?: string;
  /** What the path begins with. */
  readonly path?: string;
  /** Only those after this number. */
  readonly since?: number;
  /** Whether a fault was applied. */
  readonly fault?: boolean;
  /** The latest that many. */
  readonly limit?: number;
}

/** What became of a request that was sent again. */
export interface ReplayResult {
  readonly request: LoggedRequest;
  /** Whether status and body are those of the first answer, request ids aside; null where there was no first answer. */
  readonly same: boolean | null;
}

/** A line of the stream of requests: one that has ended, or how many were left out because they were not read in time. */
export type RequestStreamLine = LoggedRequest | { readonly dropped: number };

/**
 * The last requests to the service, 1,000 unless told otherwise: not those to the control API or its sinks, and not bytes
 * that were no HTTP request. With the same seed, a frozen clock and the same requests in turn, two journals differ in
 * durations and in the port alone.
 */
export interface SandboxRequests {
  /** The newest last. */
  list(filter?: RequestFilter): Promise<readonly LoggedRequest[]>;
  /** By its number or request id; of two with that id, the newer one. */
  get(numberOrRequestId: number | string): Promise<LoggedRequest>;
  /**
   * Sends a request again: the same bytes, the credential among them. Rejects with `request_not_kept` where its body is
   * not there as a whole.
   */
  replay(numberOrRequestId: number | string, options?: { readonly newKey?: boolean }): Promise<ReplayResult>;
  /** HTTP Archive 1.2, which the developer tools of browsers open. */
  har(filter?: RequestFilter): Promise<Har>;
  /** Forgets all of them: the next one is the first again. */
  clear(): Promise<void>;
}

/** HTTP Archive 1.2, as far as it is written here. Names that begin with `_` are ours, as the format allows. */
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
    /** 0 where there was no answer. */
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
