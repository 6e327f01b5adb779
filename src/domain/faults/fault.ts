/** Which requests a rule is about. What it leaves out may be anything. */
export interface FaultMatch {
  /** The id of an operation, as in `diligence.submit`, over whichever of its paths. */
  readonly operation?: string;
  /** As it was asked, without the query; `*` stands for any characters, also none. */
  readonly path?: string;
  readonly method?: string;
  /** Exact values by name; `true`: whatever it says. */
  readonly header?: Readonly<Record<string, string | true>>;
  /** Only this one of the requests that match, counted from 1. */
  readonly nth?: number;
}

/** `before`: nothing of the request is looked at. `after`: the work is done and stays done, its answer is lost. */
export type FaultPhase = "before" | "after";

/**
 * What happens. At most one of `status`, `reset`, `hang` and `garbage`; `truncate` or `badChunk` may spoil a `status`, or
 * the answer of the work; `delay` goes with everything but `hang`.
 */
export interface FaultEffect {
  /** 400 to 599, in place of the answer. */
  readonly status?: number;
  /** With `status`: seconds; a duration (`30s`) as a date that far from the sandbox's time; or a date of RFC 9110 §5.6.7. */
  readonly retryAfter?: number | string;
  /** A duration of wall time, as in `2s`, at the most ten minutes. */
  readonly delay?: string;
  /** The connection is reset. */
  readonly reset?: boolean;
  /** No answer comes; it ends with the caller or the sandbox. */
  readonly hang?: boolean;
  /** Half the body, and the end of the connection; of a streamed one half of its first 64 KiB. */
  readonly truncate?: boolean;
  /** Half the body, and then what is no chunk (RFC 9112 §7.1). */
  readonly badChunk?: boolean;
  /** Bytes that are no HTTP. */
  readonly garbage?: boolean;
}

/** A rule: which requests, how many of them, and what happens to those. */
export interface FaultSpec {
  readonly match?: FaultMatch;
  /** Default `before`; `after` where the work's own answer is spoilt. */
  readonly phase?: FaultPhase;
  /** How often it is applied at the most. Default: without end. */
  readonly times?: number;
  /** How many of the first that match are let through. Default 0. */
  readonly skip?: number;
  /** 0 to 1, drawn from the seed for each request that matches. Default 1. */
  readonly probability?: number;
  readonly then: FaultEffect;
}
