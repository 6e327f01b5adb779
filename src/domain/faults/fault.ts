/** Conditions for a request. An omitted condition always holds. */
export interface FaultMatch<Operation extends string = string> {
  /** The id of an operation, as in `diligence.submit`, on any of its paths. */
  readonly operation?: Operation;
  /** Without the query; `*` matches any characters, also none. */
  readonly path?: string;
  readonly method?: string;
  /** Name → exact value, or `true` for any value. */
  readonly header?: Readonly<Record<string, string | true>>;
}

/** `before`: the request is not executed. `after`: it is executed, and its response is lost. */
export const FAULT_PHASES = ["before", "after"] as const;

export type FaultPhase = (typeof FAULT_PHASES)[number];

/**
 * At most one of `status`, `reset` and `hang`. `truncate` applies to a `status` or the real response. `delay` combines with
 * everything except `hang`.
 */
export interface FaultEffect {
  /** 400 to 599, instead of the response. */
  readonly status?: number;
  /** With `status`: seconds; a duration (`30s`), sent as a date by the sandbox's clock; or a date (RFC 9110 §5.6.7). */
  readonly retryAfter?: number | string;
  /** A duration of real time, as in `2s`, at most ten minutes. */
  readonly delay?: string;
  readonly reset?: boolean;
  /** No response, until the caller or the sandbox ends the connection. */
  readonly hang?: boolean;
  /** Sends half of the body (of a stream, half of its first 64 KiB), then ends the connection. */
  readonly truncate?: boolean;
}

export interface FaultSpec<Operation extends string = string> {
  readonly match?: FaultMatch<Operation>;
  /** Default `before`; `after` for an effect on the real response. */
  readonly phase?: FaultPhase;
  /** Maximum number of uses. Default: unlimited. */
  readonly times?: number;
  /** Lets the first matching requests through. Default 0. */
  readonly skip?: number;
  /** 0 to 1, drawn from the seed for each matching request. Default 1. */
  readonly probability?: number;
  readonly then: FaultEffect;
}
