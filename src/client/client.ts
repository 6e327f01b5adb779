import { ALIAS_HEADERS } from "../contract/aliases.ts";
import type { Mapping } from "../contract/mapping/mapping.ts";
import { ResponseReader } from "../contract/mapping/read.ts";
import { writeBody, writeQuery } from "../contract/mapping/requests.ts";
import { MEDIA_TYPE, type Operation } from "../contract/operations/operation.ts";
import { type ClaimsError, credentialError, usageError } from "../domain/errors.ts";
import { isRecord } from "../domain/json.ts";
import { AccessTokens, buildTokenRequest, tokenForm } from "./auth/access-tokens.ts";
import { isCredential, type OAuthCredential } from "./auth/credential.ts";
import type { AliasUse, ClientOptions } from "./client-options.ts";
import { DryRun, describeBytes, describeMultipart, describeRequest, SECRET_VARIABLES } from "./dry-run.ts";
import { parseJsonBody } from "./http/classify-body.ts";
import type { HttpResponse } from "./http/http-message.ts";
import { type ErrorResponseInfo, provesNotExecuted } from "./http/refusal.ts";
import { outcomeUnknownError, readMonitored } from "./http/request-errors.ts";
import { type ApiResponse, readResponse, type StreamingResponse } from "./http/response.ts";
import {
  readErrorResponse,
  redactHeaders,
  responseError,
  type SentCredential,
  tokenResponseError,
} from "./http/response-errors.ts";
import { DEFAULT_TIMEOUT_MS, RetryingTransport } from "./http/retrying-transport.ts";
import { Outages } from "./outages.ts";
import { followPages, type Page, resolvePath } from "./paging.ts";
import {
  addIdempotencyKey,
  buildRequest,
  formatRequestLine,
  type InputOf,
  isSafeToRetry,
  type OperationInput,
  type RawRequest,
} from "./request.ts";
import { readJobId } from "./wait.ts";

/** The partner API over HTTP: sends operations, retries them if that is safe. Throws a `ClaimsError` outside of 2xx. */
export class Client {
  readonly #options: ClientOptions;
  readonly #transport: RetryingTransport;
  readonly #tokens: AccessTokens;
  /** What all requests know of a service that is out of order. */
  readonly outages: Outages;

  /** @throws ClaimsError `validation_failed` for a wrong base URL, runtime or credential */
  constructor(options: ClientOptions) {
    requireValidOptions(options);
    this.#options = { ...options, baseUrl: options.baseUrl.replace(/\/+$/, "") };
    this.outages = new Outages(options);
    this.#transport = new RetryingTransport(this.#options, this.outages);
    this.#tokens = new AccessTokens((client) => this.#requestToken(client), options.tokenCache);
  }

  async send<const O extends Operation>(operation: O, ...input: InputOf<O>): Promise<ApiResponse> {
    const response = await this.#open(this.#build(operation, input[0] ?? {}), input[0]);
    return { ...(await readResponse(response, operation.method)), reader: this.readerOf(operation) };
  }

  /** Like {@link send}, with the body as it arrives. */
  async stream<const O extends Operation>(
    operation: O,
    ...[input = {}]: InputOf<O>
  ): Promise<StreamingResponse> {
    const response = await this.#open({ ...this.#build(operation, input), isStream: true }, input);
    return { ...response, reader: this.readerOf(operation) };
  }

  /** Like {@link send}, with a response outside 2xx as it is; only 401 and 429, which end a run, are errors. */
  async receive(operation: Operation, input: OperationInput = {}): Promise<ApiResponse> {
    const request = { ...this.#build(operation, input), acceptsErrors: true };
    return readResponse(await this.#open(request, input), operation.method);
  }

  /** In the names of the service. */
  #build(operation: Operation, input: OperationInput): RawRequest {
    const { mapping } = this.#options;
    if (!mapping) return buildRequest(operation, input);
    const { query, json } = input;
    return buildRequest(operation, {
      ...input,
      ...(query && { query: writeQuery(mapping, query) }),
      ...(json && { json: writeBody(mapping, operation, json) }),
    });
  }

  async #open(request: RawRequest, { multipart }: OperationInput = {}): Promise<StreamingResponse> {
    this.#throwIfDryRun(request, () => (multipart ? describeMultipart(multipart) : describeBytes(request)));
    if (!multipart) return this.#sendAuthorized(request);
    // Only uploads load it.
    const { encodeMultipart } = await import("./http/multipart.ts");
    return this.#sendAuthorized({ ...request, body: () => encodeMultipart(multipart) });
  }

  async sendRaw(request: RawRequest): Promise<ApiResponse> {
    return readResponse(await this.streamRaw({ ...request, isStream: false }), request.method);
  }

  /** Like {@link sendRaw}, with the body as it arrives. */
  async streamRaw(request: RawRequest): Promise<StreamingResponse> {
    const { baseUrl } = this.#options;
    const keyed = addIdempotencyKey({ isStream: true, ...request, path: resolvePath(baseUrl, request.path) });
    this.#throwIfDryRun(keyed, () => describeBytes(keyed));
    return this.#sendAuthorized(keyed);
  }

  /** The responses to a request and to the links to further pages. A page of another service, or a repeated one, is an error. */
  pages(request: RawRequest): AsyncGenerator<Page> {
    return this.#follow(request, this.readerOf(undefined));
  }

  /**
   * All pages of a list. A list with lines of the mapping gets no limit.
   *
   * @param mapping a candidate, in place of that of the client
   */
  list<const O extends Operation>(
    operation: O,
    { query = {}, ...input }: Omit<OperationInput, "json" | "multipart"> = {},
    mapping?: Mapping,
  ): AsyncGenerator<Page> {
    const reader = this.readerOf(operation, mapping);
    const { limit, ...others } = query;
    const sent = reader.isMappedList ? others : { ...others, limit };
    return this.#follow(this.#build(operation, { ...input, query: sent }), reader);
  }

  #follow(request: RawRequest, reader: ResponseReader): AsyncGenerator<Page> {
    return followPages((page) => this.sendRaw(page), request, this.#options.baseUrl, reader);
  }

  /** Reads the responses to an operation by the mapping of the service, if it has one. */
  readerOf(operation: Operation | undefined, mapping = this.#options.mapping): ResponseReader {
    return new ResponseReader(mapping, operation);
  }

  /** Fetches an access token for the client's OAuth credential (interface §5.3), and uses it from then on. */
  async fetchToken(): Promise<ApiResponse> {
    const { credential } = this.#options;
    if (credential?.kind === "oauth_client") return this.#tokens.fetchToken(credential);
    throw credentialError("no_oauth_client", "only an OAuth client can fetch a token", {
      hint: "set CLAIMS_CLIENT_ID and CLAIMS_CLIENT_SECRET, and no CLAIMS_API_KEY",
    });
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  #throwIfDryRun(request: RawRequest, describeBody: () => ReturnType<typeof describeBytes>): void {
    const { isDryRun, baseUrl, credential } = this.#options;
    if (isDryRun) throw new DryRun(describeRequest(request, describeBody(), baseUrl, credential));
  }

  async #sendAuthorized(request: RawRequest): Promise<StreamingResponse> {
    const { credential } = this.#options;
    const authorization = await this.#tokens.getAuthorization(credential);
    const response = await this.#transport.send(request, authorization);
    const renewed =
      response.status === 401 ? await this.#tokens.renewAuthorization(credential, authorization) : null;
    if (renewed === null) return this.#handleResponse(response, request, authorization);
    // The access token expired early: try another one, once.
    response.discard();
    return this.#handleResponse(await this.#transport.send(request, renewed), request, renewed);
  }

  /** The response if it is a success, or an error that the request accepts. @throws ClaimsError for any other */
  async #handleResponse(
    response: HttpResponse,
    request: RawRequest,
    authorization: string | null,
  ): Promise<StreamingResponse> {
    const sent = { credential: this.#options.credential, authorization };
    const headers = redactHeaders(response.headers, sent);
    const use = readAliasUse(request, { ...response, headers });
    if (use) await this.#options.onAlias?.(use);
    const streaming = this.#toStreamingResponse(response, request);
    if (request.acceptsErrors && ![401, 429].includes(response.status)) return { ...streaming, headers };
    if (!isSuccess(request, response)) throw await this.#toError(streaming, request, sent);
    this.outages.recordResponse();
    return { ...streaming, headers };
  }

  /** The error for a response outside 2xx; for a write that may have been executed, it says so. */
  async #toError(
    response: StreamingResponse,
    request: RawRequest,
    sent: SentCredential,
  ): Promise<ClaimsError> {
    const { mapping, runtime } = this.#options;
    // The status alone may make the outcome certain, however much of the body arrives. Of a 5xx that breaks off, the broken
    // connection is the error: like any outage, it is worth another try.
    const canIgnoreBody =
      this.#isOutcomeCertain(request, { ...response, text: null }) && response.status < 500;
    const failed = await readErrorResponse(response, runtime.now(), canIgnoreBody);
    const error = responseError(failed, formatRequestLine(request), sent, { mapping });
    const { code, message, status, requestId, retryAfterMs } = error;
    // Where the status does not, the body may: a 409 is either about the record or about another copy of this request.
    const text = failed.body?.toString("utf8") ?? null;
    if (this.#isOutcomeCertain(request, { ...response, code, text })) return error;
    // A 409 may name the job of the first copy.
    const jobId = (failed.body && readJobId(parseJsonBody({ ...failed, body: failed.body }))) ?? undefined;
    return outcomeUnknownError(message, { status, requestId, retryAfterMs, jobId, cause: error });
  }

  /** Whether a request may be executed again, or its response outside 2xx proves that it was not executed. */
  #isOutcomeCertain(request: RawRequest, response: ErrorResponseInfo): boolean {
    const url = this.#options.baseUrl + request.path;
    return isSafeToRetry(request) || provesNotExecuted({ ...request, url }, response);
  }

  #toStreamingResponse(response: HttpResponse, request: RawRequest): StreamingResponse {
    const { status, headers } = response;
    const { requestTimeoutMs = DEFAULT_TIMEOUT_MS, readTimeoutMs } = this.#options;
    const context = this.#transport.requestContext(request);
    // Not only a repeatable request: a refused one was not executed, however much of the body arrives.
    const isSafe = this.#isOutcomeCertain(request, { status, headers, text: null });
    const givenMs = isSafeToRetry(request) ? readTimeoutMs : undefined;
    const limitMs = givenMs ?? (request.isStream ? undefined : requestTimeoutMs);
    const body = readMonitored(response, { ...context, isSafeToRetry: isSafe }, limitMs);
    return { status, headers, body };
  }

  async #requestToken(client: OAuthCredential): Promise<ApiResponse> {
    const { isDryRun, baseUrl, runtime } = this.#options;
    const request = buildTokenRequest(client);
    if (isDryRun) {
      const fields = tokenForm({ ...client, clientSecret: SECRET_VARIABLES.oauth_client });
      const body = { contentType: MEDIA_TYPE.form, text: null, fields, file: null };
      throw new DryRun(describeRequest(request, body, baseUrl, null));
    }
    const response = this.#toStreamingResponse(await this.#transport.send(request, null), request);
    if (response.status === 200) return readResponse(response);
    throw tokenResponseError(
      await readErrorResponse(response, runtime.now(), true),
      formatRequestLine(request),
      {
        credential: client,
        authorization: null,
      },
    );
  }
}

/** Without types, an environment variable that is not set may arrive here. The error must not contain a secret. */
function requireValidOptions(options: unknown): void {
  const { baseUrl, credential, runtime } = (isRecord(options) ? options : {}) as Partial<ClientOptions>;
  if (typeof baseUrl !== "string")
    throw usageError("validation_failed", "baseUrl of the client is not text", {
      hint: "give the base URL of the service",
    });
  if (!isRecord(runtime))
    throw usageError("validation_failed", "runtime of the client is not an object", {
      hint: "give an object with now(), random() and sleep()",
    });
  if (credential === null || isCredential(credential)) return;
  throw usageError("validation_failed", "credential of the client is not a credential", {
    hint: 'give { kind: "api_key", key }, { kind: "oauth_client", clientId, clientSecret } or null, each field as text',
  });
}

const isSuccess = (request: RawRequest, response: HttpResponse): boolean =>
  response.status >= 200 && response.status < 300 && !isUnrequestedPart(request, response);

/** A proxy or a download service may send the first bytes of a document (RFC 9110 §15.3.7). A page of a list counts items. */
const isUnrequestedPart = (request: RawRequest, { headers, status }: HttpResponse): boolean =>
  status === 206 &&
  /^bytes\b/i.test(headers["content-range"] ?? "bytes") &&
  !Object.keys(request.headers ?? {}).some((name) => name.toLowerCase() === "range");

/** Null if the response has none of the three headers. */
function readAliasUse(
  { method, path }: Pick<RawRequest, "method" | "path">,
  { headers, status }: Pick<HttpResponse, "headers" | "status">,
): AliasUse | null {
  const header = (name: string) => headers[name.toLowerCase()] || null;
  const alias = header(ALIAS_HEADERS.alias);
  const canonicalPath = header(ALIAS_HEADERS.canonicalPath);
  const lifecycle = header(ALIAS_HEADERS.lifecycle);
  if (alias === null && canonicalPath === null && lifecycle === null) return null;
  return { method, alias: alias ?? path.replace(/\?.*$/, ""), canonicalPath, lifecycle, status };
}
