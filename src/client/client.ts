import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { type Operation, type ParamsOf, takesIdempotencyKey } from "../contract/operation.ts";
import { OPERATIONS } from "../contract/operations.ts";
import { ClaimsError, interruption } from "../domain/errors.ts";
import { AccessTokens } from "./access-tokens.ts";
import type { Credential } from "./credential.ts";
import type { MultipartInput } from "./multipart.ts";
import { refusal, tokenRefusal } from "./refusal.ts";
import {
  delayBefore,
  isCertificateFault,
  isRepeatable,
  isTooLong,
  isWorthRepeating,
  MAX_ATTEMPTS,
  wasNeverSent,
} from "./retry.ts";
import type { Surroundings } from "./surroundings.ts";
import { type Exchange, type RawAnswer, Transport } from "./transport.ts";

/** Longest answer that is read into memory; a dataset is streamed instead. */
const BODY_LIMIT = 256 * 1024 * 1024;

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
}

/** An answer in the 200s. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes the service sent. */
  readonly body: Buffer;
}

export interface StreamedAnswer extends Omit<Answer, "body"> {
  readonly body: Readable;
}

/** What one call of an operation takes, beyond the operation itself. */
export interface Input {
  readonly params?: Readonly<Record<string, string>>;
  readonly multipart?: MultipartInput;
  readonly accept?: string;
  /** Use the compatibility path (interface §4). */
  readonly legacy?: boolean;
}

/** Path parameters must be given where the path has any. */
type InputOf<O extends Operation> = keyof ParamsOf<O> extends never
  ? [input?: Omit<Input, "params">]
  : [input: Input & { readonly params: ParamsOf<O> }];

/** A request by method and path, for routes outside the operation table. */
export interface RawRequest {
  readonly method: Exchange["method"];
  /** Path and query, from the base URL. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it may be sent twice; reads may anyway. */
  readonly repeatable?: boolean;
  /** Makes the body anew for every attempt. */
  readonly body?: (() => { headers: Readonly<Record<string, string>>; body: Readable | string }) | undefined;
}

/**
 * The partner API over HTTP. Sends an operation of the contract table, retries what may be retried, and turns every
 * refusal into a {@link ClaimsError}. It knows nothing of what an answer means.
 */
export class Client {
  readonly #options: ClientOptions;
  readonly #transport: Transport;
  readonly #tokens: AccessTokens;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#transport = new Transport({ ca: options.ca, requestTimeout: options.requestTimeout ?? 60_000 });
    this.#tokens = new AccessTokens((clientId, clientSecret) => this.#fetchToken(clientId, clientSecret));
  }

  /** Sends an operation and reads the whole answer. */
  async send<const O extends Operation>(operation: O, ...input: InputOf<O>): Promise<Answer> {
    return collect(await this.stream(operation, ...input));
  }

  /** Sends an operation and hands the body on as it arrives. */
  async stream<const O extends Operation>(operation: O, ...[input]: InputOf<O>): Promise<StreamedAnswer> {
    const { params = {}, multipart, accept = "application/json", legacy = false }: Input = input ?? {};
    // Loaded with the first upload: a read has no use for it.
    const encode = multipart && (await import("./multipart.ts")).encodeMultipart;
    return this.#deliver({
      method: operation.method,
      path: expand((legacy && operation.legacyPath) || operation.path, params),
      headers: { accept, ...(takesIdempotencyKey(operation) && idempotencyKey()) },
      body: encode && (() => encode(multipart)),
    });
  }

  /** Sends any request with the client's credential, as `claims api` does. */
  async sendRaw(request: RawRequest): Promise<Answer> {
    const headers = { ...(request.method === "POST" && idempotencyKey()), ...request.headers };
    return collect(await this.#deliver({ ...request, headers }));
  }

  /** Ends all connections. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  async #deliver(request: RawRequest): Promise<StreamedAnswer> {
    const authorization = await this.#tokens.authorization(this.#options.credential);
    const answer = await this.#attempt(request, authorization);
    if (answer.status !== 401 || !this.#tokens.forget(this.#options.credential)) {
      return this.#successful(answer, request, authorization);
    }
    // An access token that was cut short: fetch another one, once.
    await answer.discard();
    const renewed = await this.#tokens.authorization(this.#options.credential);
    return this.#successful(await this.#attempt(request, renewed), request, renewed);
  }

  async #attempt(request: RawRequest, authorization: string | null): Promise<RawAnswer> {
    const { surroundings, signal } = this.#options;
    const safe = request.repeatable ?? request.method === "GET";
    for (let attempt = 1; ; attempt += 1) {
      const last = attempt === MAX_ATTEMPTS;
      let retryAfter: string | undefined;
      try {
        const answer = await this.#once(request, authorization);
        retryAfter = answer.headers["retry-after"];
        const worthIt = isWorthRepeating(answer.status, safe) && !isTooLong(retryAfter, surroundings.now());
        if (last || !worthIt) return answer;
        await answer.discard();
      } catch (error) {
        if (signal?.aborted || last || !isRepeatable(codeOf(error), safe))
          throw this.#failure(error, request);
      }
      await surroundings.sleep(delayBefore(attempt, retryAfter, surroundings), signal);
    }
  }

  async #once({ method, path, headers, body }: RawRequest, authorization: string | null): Promise<RawAnswer> {
    const { baseUrl, log, signal, surroundings, userAgent } = this.#options;
    const encoded = body?.();
    const startedAt = surroundings.now();
    const told = (outcome: string) =>
      log?.(`${method} ${path} → ${outcome} (${Math.round(surroundings.now() - startedAt)} ms)`);
    try {
      const answer = await this.#transport.send({
        method,
        url: baseUrl.replace(/\/+$/, "") + path,
        headers: {
          "user-agent": userAgent,
          ...(authorization !== null && { authorization }),
          ...headers,
          ...encoded?.headers,
        },
        body: encoded?.body,
        signal,
      });
      told(`${answer.status} ${answer.headers["x-request-id"] ?? ""}`.trim());
      return answer;
    } catch (error) {
      told(codeOf(error));
      if (typeof encoded?.body === "object") encoded.body.destroy();
      throw error;
    }
  }

  async #successful(
    answer: RawAnswer,
    { method, path }: RawRequest,
    authorization: string | null,
  ): Promise<StreamedAnswer> {
    if (answer.status >= 200 && answer.status < 300) return answer;
    const { credential } = this.#options;
    throw refusal(await collect(answer), `${method} ${path}`, { credential, authorization });
  }

  async #fetchToken(clientId: string, clientSecret: string): Promise<string> {
    const { token } = OPERATIONS.oauth;
    const form = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: clientSecret,
    });
    const request: RawRequest = {
      method: token.method,
      path: token.path,
      headers: { accept: "application/json" },
      // A token that nobody received does no harm.
      repeatable: true,
      body: () => ({
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: form.toString(),
      }),
    };
    const answer = await collect(await this.#attempt(request, null));
    if (answer.status === 200) return accessTokenIn(answer.body);
    const credential: Credential = { kind: "oauth_client", clientId, clientSecret };
    throw tokenRefusal(answer, `${token.method} ${token.path}`, { credential, authorization: null });
  }

  #failure(error: unknown, { method, path, repeatable = method === "GET" }: RawRequest): ClaimsError {
    const { baseUrl, signal } = this.#options;
    if (signal?.aborted) return interruption(error);
    if (error instanceof ClaimsError) return error;
    const code = codeOf(error);
    const where = `${method} ${baseUrl}${path}`;
    if (!repeatable && !wasNeverSent(code)) {
      return new ClaimsError(
        "unreachable",
        "outcome_unknown",
        `${where}: the connection failed (${code}) after the request was sent; whether it was carried out is unknown`,
        {
          hint: "look for it on the service before sending it again",
          cause: error,
        },
      );
    }
    return new ClaimsError("unreachable", "unreachable", `${where}: ${explain(code)}`, {
      hint: "check the base URL; `claims sandbox status` tells whether a local sandbox is up",
      retryable: true,
      cause: error,
    });
  }
}

const idempotencyKey = () => ({ "idempotency-key": randomUUID() });

const expand = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));

async function collect(answer: StreamedAnswer): Promise<Answer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer.body) {
      size += (chunk as Buffer).length;
      if (size > BODY_LIMIT) throw tooLarge();
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    if (error instanceof ClaimsError) throw error;
    throw new ClaimsError(
      "unreachable",
      "answer_cut_short",
      `the answer broke off after ${size} bytes (${codeOf(error)})`,
      {
        hint: "run the command again",
        retryable: true,
        cause: error,
      },
    );
  }
  return { ...answer, body: Buffer.concat(chunks) };
}

const tooLarge = (): ClaimsError =>
  new ClaimsError("rejected", "answer_too_large", `the answer is larger than ${BODY_LIMIT} bytes`, {
    hint: "only a dataset may be that large; it is read as a stream",
  });

function accessTokenIn(body: Buffer): string {
  try {
    const { access_token: token } = JSON.parse(body.toString("utf8")) as { access_token?: unknown };
    if (typeof token === "string" && token !== "") return token;
  } catch {
    // Said below: not JSON is one more way of having no token.
  }
  throw new ClaimsError("credential", "no_access_token", "the token route answered without an access_token", {
    hint: "check that the base URL is the service itself",
  });
}

/** The most telling code of an error: undici wraps, and connecting to several addresses collects. */
function codeOf(error: unknown): string {
  const { code, cause, errors, message } = error as {
    code?: string;
    cause?: unknown;
    errors?: unknown[];
    message?: string;
  };
  if (code) return code;
  const inner = cause ?? errors?.[0];
  return inner === undefined ? (message ?? "unknown error") : codeOf(inner);
}

function explain(code: string): string {
  if (code === "ECONNREFUSED") return "nothing is listening there (connection refused)";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "the host name cannot be resolved";
  if (/TIMEOUT/.test(code)) return "no answer in time";
  if (isCertificateFault(code)) return `the certificate was not accepted (${code})`;
  return `the connection failed (${code})`;
}
