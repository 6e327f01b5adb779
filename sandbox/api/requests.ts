import type * as schemas from "../../src/contract/logged-request.ts";
import type { OperationId } from "../../src/contract/operations/operations.ts";
import type { ReadonlyStatic } from "../../src/contract/schemas.ts";

// The request log. All of it is redacted: an allow-list decides which header values, query parameters and form fields stay,
// and every known secret is removed wherever it occurs.

export type LoggedBody = ReadonlyStatic<typeof schemas.loggedBody>;
/** `aborted` by its client, `lost` by a fault, or still `running`. */
export type RequestOutcome = LoggedRequest["outcome"];
/** Where a request had a credential. */
export type CredentialPlace = ReadonlyStatic<typeof schemas.credentialPlace>;
/** Why the service refused a request. */
export type LoggedProblem = ReadonlyStatic<typeof schemas.loggedProblem>;
export type LoggedRequest = ReadonlyStatic<typeof schemas.loggedRequest>;

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
  /** Only the latest requests, at most so many. */
  readonly limit?: number;
}

/**
 * The latest requests to the service (`requestLogSize`), without those to the control API and its sinks. With the same seed,
 * a frozen clock and the same requests in turn, two logs differ only in durations and in the port.
 */
export interface SandboxRequests {
  /** Newest last. */
  list(filter?: RequestFilter): Promise<readonly LoggedRequest[]>;
  /** Finds by number or request id; prefers the newer of two with one id. */
  get(numberOrRequestId: number | string): Promise<LoggedRequest>;
  /** The next request has number 1 again. */
  clear(): Promise<void>;
}
