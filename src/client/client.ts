import type { Operation } from "../contract/operation.ts";
import { brandClass } from "../domain/brand-class.ts";
import { ClaimsError } from "../domain/errors.ts";
import { AccessTokens, type OAuthClient } from "./access-tokens.ts";
import { type AliasUse, aliasUseIn } from "./alias-use.ts";
import { type Answer, collect, type StreamedAnswer } from "./answer.ts";
import { Attempts } from "./attempts.ts";
import type { Credential } from "./credential.ts";
import type { RawAnswer } from "./exchange.ts";
import { unknownOutcome, watched } from "./failure.ts";
import type { Pace } from "./pace.ts";
import { isBelow, pagesOf } from "./paging.ts";
import type { ProxySettings } from "./proxy.ts";
import { cleanHeaders, collectRefused, refusal, tokenRefusal } from "./refusal.ts";
import { bytesBody, multipartBody, Rehearsal, type RehearsedBody, rehearsed } from "./rehearsal.ts";
import { type Input, type InputOf, isSafe, type RawRequest, requestFor, withKey } from "./request.ts";
import { isDoubtful, type Patience } from "./retry.ts";
import type { Surroundings } from "./surroundings.ts";
import type { TokenCache } from "./token-cache.ts";
import { rehearsedToken, tokenRequest } from "./token-request.ts";

export type { Answer, StreamedAnswer } from "./answer.ts";
export type { Input, RawRequest } from "./request.ts";

/** Which service to talk to, as whom, and with how much patience. */
export interface ClientOptions {
  /** Where the service is, with or without a path prefix. */
  readonly baseUrl: string;
  readonly credential: Credential | null;
  readonly surroundings: Surroundings;
  readonly userAgent: string;
  /** PEM of a certificate authority to trust. */
  readonly ca?: string | undefined;
  /** Milliseconds one request may take to connect, and to go on answering. */
  readonly requestTimeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told about each attempt; never sees a credential. */
  readonly log?: ((line: string) => void) | undefined;
  /** Told of every answer that came over an alias (interface §4: clients should log it). */
  readonly onAlias?: ((use: AliasUse) => Promise<void>) | undefined;
  /** Keeps an access token beyond the life of this client. */
  readonly tokens?: TokenCache | undefined;
  /** Shared by the clients of a batch. */
  readonly pace?: Pace | undefined;
  readonly patience?: Patience | undefined;
  readonly proxy?: ProxySettings | undefined;
  /** Nothing is sent: every request ends in a {@link Rehearsal}. */
  readonly rehearse?: boolean | undefined;
}

/**
 * The partner API over HTTP. Sends an operation of the contract table, retries what may be retried, and turns every
 * refusal into a {@link ClaimsError}. It knows nothing of what an answer means.
 */
export class Client {
  readonly #options: ClientOptions;
  readonly #attempts: Attempts;
  readonly #tokens: AccessTokens;

  static {
    brandClass(Client, "Client");
  }

  constructor(options: ClientOptions) {
    this.#options = { ...options, baseUrl: options.baseUrl.replace(/\/+$/, "") };
    this.#attempts = new Attempts(this.#options);
    this.#tokens = new AccessTokens((client) => this.#askForToken(client), options.tokens);
  }

  /** Sends an operation and reads the whole answer. */
  async send<const O extends Operation>(operation: O, ...input: InputOf<O>): Promise<Answer> {
    return collect(await this.stream(operation, ...input));
  }

  /** Sends an operation and hands the body on as it arrives. */
  async stream<const O extends Operation>(operation: O, ...[input]: InputOf<O>): Promise<StreamedAnswer> {
    const given: Input = input ?? {};
    const { multipart } = given;
    const request = requestFor(operation, given);
    this.#rehearse(request, () => (multipart ? multipartBody(multipart) : bytesBody(request)));
    // Loaded with the first upload: a read has no use for it.
    const encode = multipart && (await import("./multipart.ts")).encodeMultipart;
    return this.#deliver(encode ? { ...request, body: () => encode(multipart) } : request);
  }

  /** Sends any request with the client's credential, as `claims api` does. */
  async sendRaw(request: RawRequest): Promise<Answer> {
    return collect(await this.streamRaw(request));
  }

  /** The same with the body as it arrives. */
  async streamRaw(request: RawRequest): Promise<StreamedAnswer> {
    const { baseUrl } = this.#options;
    if (!isBelow(baseUrl, new URL(baseUrl + request.path))) throw elsewhere(baseUrl, request.path);
    const keyed = withKey(request);
    this.#rehearse(keyed, () => bytesBody(keyed));
    return this.#deliver(keyed);
  }

  /**
   * The answer to a request and every page that it leads on to, in order. A page elsewhere than on this service, or one
   * that was seen already, is an error.
   */
  pages(request: RawRequest): AsyncGenerator<Answer> {
    return pagesOf((page) => this.sendRaw(page), request, this.#options.baseUrl);
  }

  /** The pages of a list operation, from the one that the query names. */
  list<const O extends Operation>(operation: O, ...[input]: InputOf<O>): AsyncGenerator<Answer> {
    return this.pages(requestFor(operation, input ?? {}));
  }

  /** The answer of the token route to the client's OAuth credential (interface §5.3); the token is kept and used. */
  async fetchToken(): Promise<Answer> {
    const { credential } = this.#options;
    if (credential?.kind === "oauth_client") return this.#tokens.fetch(credential);
    throw new ClaimsError("credential", "no_oauth_client", "a token is issued to an OAuth client only", {
      hint: "set CLAIMS_CLIENT_ID and CLAIMS_CLIENT_SECRET, and no CLAIMS_API_KEY",
    });
  }

  /** Ends all connections. */
  close(): Promise<void> {
    return this.#attempts.close();
  }

  #rehearse(
    request: RawRequest,
    body: () => RehearsedBody | null | undefined,
    credential: Credential | null = this.#options.credential,
  ): void {
    const { rehearse, baseUrl } = this.#options;
    if (rehearse) throw new Rehearsal(rehearsed(request, body() ?? null, { baseUrl, credential }));
  }

  async #deliver(request: RawRequest): Promise<StreamedAnswer> {
    const { credential } = this.#options;
    const authorization = await this.#tokens.authorization(credential);
    const answer = await this.#attempts.make(request, authorization);
    const renewed = answer.status === 401 ? await this.#tokens.renewal(credential, authorization) : null;
    if (renewed === null) return this.#successful(answer, request, authorization);
    // An access token that was cut short: another one, once.
    answer.discard();
    return this.#successful(await this.#attempts.make(request, renewed), request, renewed);
  }

  async #successful(
    answer: RawAnswer,
    request: RawRequest,
    authorization: string | null,
  ): Promise<StreamedAnswer> {
    const use = aliasUseIn(request, answer);
    if (use) await this.#options.onAlias?.(use);
    const streamed = this.#streamed(answer, request);
    const proof = { credential: this.#options.credential, authorization };
    if (answer.status >= 200 && answer.status < 300)
      return { ...streamed, headers: cleanHeaders(streamed.headers, proof) };
    const refused = refusal(await collectRefused(streamed), `${request.method} ${request.path}`, proof);
    if (isSafe(request) || !isDoubtful(answer.status)) throw refused;
    const { message, status, requestId } = refused;
    throw unknownOutcome(message, { status, requestId, cause: refused });
  }

  #streamed({ status, headers, body }: RawAnswer, request: RawRequest): StreamedAnswer {
    const circumstances = this.#attempts.circumstances(request);
    // What was refused was not carried out, however much of the refusal arrives.
    const safe = circumstances.safe || (status >= 300 && !isDoubtful(status));
    return { status, headers, body: watched(body, { ...circumstances, safe }) };
  }

  async #askForToken(client: OAuthClient): Promise<Answer> {
    const request = tokenRequest(client);
    this.#rehearse(request, () => rehearsedToken(client), null);
    const answer = this.#streamed(await this.#attempts.make(request, null), request);
    if (answer.status === 200) return collect(answer);
    throw tokenRefusal(await collectRefused(answer), `${request.method} ${request.path}`, {
      credential: client,
      authorization: null,
    });
  }
}

const elsewhere = (baseUrl: string, path: string): ClaimsError =>
  new ClaimsError("usage", "path_elsewhere", `the path ${path} leads out of ${baseUrl}`, {
    hint: "write it without . and .. segments, or name another service with --base-url",
  });
