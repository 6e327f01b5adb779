import type { Mapping } from "../contract/mapping/mapping.ts";
import type { ClaimsError } from "../domain/errors.ts";
import type { TokenCache } from "./auth/access-tokens.ts";
import type { Credential } from "./auth/credential.ts";
import type { AdaptiveLimiter } from "./http/limiter.ts";
import type { ProxySettings } from "./http/proxy.ts";
import type { RetryPolicy } from "./http/retry.ts";
import type { Runtime } from "./runtime.ts";

export interface ClientOptions {
  /** With or without a path prefix. */
  readonly baseUrl: string;
  readonly credential: Credential | null;
  readonly runtime: Runtime;
  readonly userAgent: string;
  /** PEM of a certificate authority to trust. */
  readonly ca?: string | undefined;
  /** Limits connecting, each wait for a part of the response, and the whole read of a document. Default: a minute. */
  readonly requestTimeoutMs?: number | undefined;
  /** Limits the whole read of the response to a read. Default: that of a request; no limit if it is streamed. */
  readonly readTimeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Gets a line about each attempt, without credentials. */
  readonly log?: ((line: string) => void) | undefined;
  /** Gets each response to a request over an alias (interface §4: clients should log it). */
  readonly onAlias?: ((use: AliasUse) => Promise<void>) | undefined;
  readonly tokenCache?: TokenCache | undefined;
  /** For the clients of a batch to share. */
  readonly limiter?: AdaptiveLimiter | undefined;
  readonly retryPolicy?: RetryPolicy | undefined;
  /** How long all requests wait in all for a service that is out of order. Default: each as the policy says. */
  readonly retryForMs?: number | undefined;
  readonly proxy?: ProxySettings | undefined;
  /** Gets the error when a request begins to wait for a service that is out of order, and null when the service responds again. */
  readonly onOutage?: ((error: ClaimsError | null) => void) | undefined;
  /** Where the service keeps what the contract describes (product.md §10). */
  readonly mapping?: Mapping | undefined;
  /** Throws a {@link DryRun} instead of sending a request. */
  readonly isDryRun?: boolean | undefined;
}

/** The headers of a response to a request over an alias (interface §4). A missing header is null. */
export interface AliasUse {
  readonly method: string;
  /** Exact path that the request used. */
  readonly alias: string;
  readonly canonicalPath: string | null;
  readonly lifecycle: string | null;
  readonly status: number;
}
