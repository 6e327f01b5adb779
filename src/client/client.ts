import type { Operation } from "../contract/operation.ts";
import { ClaimsError } from "../domain/errors.ts";
import { type AliasUse, readAliasUse } from "./alias-use.ts";
import { AccessTokens, type OAuthCredential } from "./auth/access-tokens.ts";
import type { Credential } from "./auth/credential.ts";
import type { TokenCache } from "./auth/token-cache.ts";
import { buildTokenRequest, describeTokenRequest } from "./auth/token-request.ts";
import { DryRun, type DryRunBody, describeBytes, describeMultipart, describeRequest } from "./dry-run.ts";
import type { HttpResponse } from "./http/exchange.ts";
import type { AdaptiveLimiter } from "./http/limiter.ts";
import type { ProxySettings } from "./http/proxy.ts";
import { outcomeUnknownError, readMonitored } from "./http/request-errors.ts";
import { type ApiResponse, readResponse, type StreamingResponse } from "./http/response.ts";
import {
  readErrorResponse,
  redactHeaders,
  responseError,
  tokenResponseError,
} from "./http/response-errors.ts";
import { isOutcomeUnknown, type RetryPolicy } from "./http/retry.ts";
import { RetryingTransport } from "./http/retrying-transport.ts";
import { followPages, isBelowBaseUrl } from "./paging.ts";
import {
  addIdempotencyKey,
  buildRequest,
  type InputOf,
  isSafeToRetry,
  type OperationInput,
  type RawRequest,
} from "./request.ts";
import type { Runtime } from "./runtime.ts";

export type { ApiResponse, StreamingResponse } from "./http/response.ts";
export type { OperationInput, RawRequest } from "./request.ts";

/** Which service to talk to, as whom, and with how much patience. */
export interface ClientOptions {
  /** Where the service is, with or without a path prefix. */
  readonly baseUrl: string;
  readonly credential: Credential | null;
  readonly runtime: Runtime;
  readonly userAgent: string;
  /** PEM of a certificate authority to trust. */
  readonly ca?: string | undefined;
  /** Milliseconds one request may take to connect, and to go on answering. */
  readonly requestTimeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told about each attempt; never sees a credential. */
  readonly log?: ((line: string) => void) | undefined;
  /** Told of every answer that came over an alias (interface §4: clients should log it). */
  readonly onAlias?: ((use: AliasUse) => Promise<void>) | undefined;
  /** Keeps an access token beyond the life of this client. */
  readonly tokenCache?: TokenCache | undefined;
  /** Shared by the clients of a batch. */
  readonly limiter?: AdaptiveLimiter | undefined;
  readonly retryPolicy?: RetryPolicy | undefined;
  readonly proxy?: ProxySettings | undefined;
  /** Nothing is sent: every request ends in a {@link DryRun}. */
  readonly isDryRun?: boolean | undefined;
}

/**
 * The partner API over HTTP. Sends an operation of the contract table, retries what may be retried, and turns every
 * refusal into a {@link ClaimsError}. It knows nothing of what an answer means.
 */
export class Client {
  readonly #options: ClientOptions;
  readonly #transport: RetryingTransport;
  readonly #tokens: AccessTokens;

  constructor(options: ClientOptions) {
    this.#options = { ...options, baseUrl: options.baseUrl.replace(/\/+$/, "") };
    this.#transport = new RetryingTransport(this.#options);
    this.#tokens = new AccessTokens((client) => this.#requestToken(client), options.tokenCache);
  }

  /** Sends an operation and reads the whole answer. */
  async send<const O extends Operation>(operation: O, ...input: InputOf<O>): Promise<ApiResponse> {
    return readResponse(await this.stream(operation, ...input));
  }

  /** Sends an operation and hands the body on as it arrives. */
  async stream<const O extends Operation>(operation: O, ...[input]: InputOf<O>): Promise<StreamingResponse> {
    const values: OperationInput = input ?? {};
    const { multipart } = values;
    const request = buildRequest(operation, values);
    this.#throwIfDryRun(request, () => (multipart ? describeMultipart(multipart) : describeBytes(request)));
    // Loaded with the first upload: a read has no use for it.
    const encode = multipart && (await import("./http/multipart.ts")).encodeMultipart;
    return this.#sendAuthorized(encode ? { ...request, body: () => encode(multipart) } : request);
  }

  /** Sends any request with the client's credential, as `claims api` does. */
  async sendRaw(request: RawRequest): Promise<ApiResponse> {
    return readResponse(await this.streamRaw(request));
  }

  /** The same with the body as it arrives. */
  async streamRaw(request: RawRequest): Promise<StreamingResponse> {
    const { baseUrl } = this.#options;
    if (!isBelowBaseUrl(baseUrl, new URL(baseUrl + request.path)))
      throw pathOutsideBaseUrl(baseUrl, request.path);
    const keyed = addIdempotencyKey(request);
    this.#throwIfDryRun(keyed, () => describeBytes(keyed));
    return this.#sendAuthorized(keyed);
  }

  /**
   * The answer to a request and every page that it leads on to, in order. A page elsewhere than on this service, or one
   * that was seen already, is an error.
   */
  pages(request: RawRequest): AsyncGenerator<ApiResponse> {
    return followPages((page) => this.sendRaw(page), request, this.#options.baseUrl);
  }

  /** The pages of a list operation, from the one that the query names. */
  list<const O extends Operation>(operation: O, ...[input]: InputOf<O>): AsyncGenerator<ApiResponse> {
    return this.pages(buildRequest(operation, input ?? {}));
  }

  /** The answer of the token route to the client's OAuth credential (interface §5.3); the token is kept and used. */
  async fetchToken(): Promise<ApiResponse> {
    const { credential } = this.#options;
    if (credential?.kind === "oauth_client") return this.#tokens.fetchToken(credential);
    throw new ClaimsError("credential", "no_oauth_client", "a token is issued to an OAuth client only", {
      hint: "set CLAIMS_CLIENT_ID and CLAIMS_CLIENT_SECRET, and no CLAIMS_API_KEY",
    });
  }

  /** Ends all connections. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  #throwIfDryRun(
    request: RawRequest,
    body: () => DryRunBody | null | undefined,
    credential: Credential | null = this.#options.credential,
  ): void {
    const { isDryRun: rehearse, baseUrl } = this.#options;
    if (rehearse) throw new DryRun(describeRequest(request, body() ?? null, { baseUrl, credential }));
  }

  async #sendAuthorized(request: RawRequest): Promise<StreamingResponse> {
    const { credential } = this.#options;
    const authorization = await this.#tokens.getAuthorization(credential);
    const answer = await this.#transport.send(request, authorization);
    const renewed =
      answer.status === 401 ? await this.#tokens.renewAuthorization(credential, authorization) : null;
    if (renewed === null) return this.#requireSuccess(answer, request, authorization);
    // An access token that was cut short: another one, once.
    answer.discard();
    return this.#requireSuccess(await this.#transport.send(request, renewed), request, renewed);
  }

  async #requireSuccess(
    answer: HttpResponse,
    request: RawRequest,
    authorization: string | null,
  ): Promise<StreamingResponse> {
    const use = readAliasUse(request, answer);
    if (use) await this.#options.onAlias?.(use);
    const streamed = this.#toStreamingResponse(answer, request);
    const proof = { credential: this.#options.credential, authorization };
    if (answer.status >= 200 && answer.status < 300)
      return { ...streamed, headers: redactHeaders(streamed.headers, proof) };
    const refused = responseError(
      await readErrorResponse(streamed),
      `${request.method} ${request.path}`,
      proof,
    );
    if (isSafeToRetry(request) || !isOutcomeUnknown(answer.status)) throw refused;
    const { message, status, requestId } = refused;
    throw outcomeUnknownError(message, { status, requestId, cause: refused });
  }

  #toStreamingResponse({ status, headers, body }: HttpResponse, request: RawRequest): StreamingResponse {
    const circumstances = this.#transport.requestContext(request);
    // What was refused was not carried out, however much of the refusal arrives.
    const safe = circumstances.isSafeToRetry || (status >= 300 && !isOutcomeUnknown(status));
    return { status, headers, body: readMonitored(body, { ...circumstances, isSafeToRetry: safe }) };
  }

  async #requestToken(client: OAuthCredential): Promise<ApiResponse> {
    const request = buildTokenRequest(client);
    this.#throwIfDryRun(request, () => describeTokenRequest(client), null);
    const answer = this.#toStreamingResponse(await this.#transport.send(request, null), request);
    if (answer.status === 200) return readResponse(answer);
    throw tokenResponseError(await readErrorResponse(answer), `${request.method} ${request.path}`, {
      credential: client,
      authorization: null,
    });
  }
}

const pathOutsideBaseUrl = (baseUrl: string, path: string): ClaimsError =>
  new ClaimsError("usage", "path_elsewhere", `the path ${path} leads out of ${baseUrl}`, {
    hint: "write it without . and .. segments, or name another service with --base-url",
  });
