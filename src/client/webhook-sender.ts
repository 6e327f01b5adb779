import type { Buffer } from "node:buffer";
import { setMaxListeners } from "node:events";
import { ByteCollector } from "../domain/byte-collector.ts";
import { ClaimsError, interruptedError, unreachableError } from "../domain/errors.ts";
import { type ConnectionFailure, classifyErrorCode, findErrorCode } from "../domain/net.ts";
import type { HttpResponse } from "./http/http-message.ts";
import { linkSignals } from "./http/link-signals.ts";
import type { ProxySettings } from "./http/proxy.ts";
import { describeErrorCode } from "./http/request-errors.ts";
import { Transport } from "./http/transport.ts";
import type { Runtime } from "./runtime.ts";

interface WebhookSenderOptions extends Pick<Runtime, "now"> {
  readonly url: string;
  /** From the start of the request to the end of the response. */
  readonly timeoutMs: number;
  /** PEM text of a certificate authority to trust. */
  readonly ca?: string | undefined;
  readonly proxy?: ProxySettings | undefined;
  /** A response counts although the receiver closes the connection before the end of its body. */
  readonly allowTruncated?: boolean | undefined;
  readonly signal: AbortSignal;
}

export interface WebhookResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: HttpResponse["headers"];
  /** At most {@link MAX_BODY_BYTES}. */
  readonly body: Buffer;
  readonly durationMs: number;
}

/** The rest of a response does not matter for its success (product.md §5). */
const MAX_BODY_BYTES = 16_384;

/** Sends bytes to one URL, each request once, and follows no redirects. */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #transport: Transport;
  readonly #signal: AbortSignal;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
    const { url, timeoutMs, ca, proxy } = options;
    // Each request listens to it. Node warns of a leak after ten listeners.
    this.#signal = AbortSignal.any([options.signal]);
    setMaxListeners(0, this.#signal);
    this.#transport = new Transport({
      baseUrl: url,
      requestTimeoutMs: timeoutMs,
      ca,
      proxy,
      signal: this.#signal,
    });
  }

  /** @param headers a flat list. @throws ClaimsError `interrupted`, or `unreachable` with an {@link ConnectionFailure} */
  async send(headers: readonly string[], body: Uint8Array): Promise<WebhookResponse> {
    const { url, timeoutMs, now } = this.#options;
    const timeout = AbortSignal.timeout(timeoutMs);
    const { signal, unlink } = linkSignals(this.#signal, timeout);
    const startedAt = now();
    try {
      const response = await this.#transport.send({ method: "POST", url, signal, headers, body });
      const { status } = response;
      const excerpt = await readExcerpt(response, (error) => this.#onlyEndsBody(status, error));
      return { status, headers: response.headers, body: excerpt, durationMs: now() - startedAt };
    } catch (error) {
      if (this.#signal.aborted) throw interruptedError(error);
      if (error instanceof ClaimsError) throw error;
      throw toDeliveryError(url, error, timeout.aborted ? "TOTAL_TIMEOUT" : findErrorCode(error));
    } finally {
      unlink();
    }
  }

  /** Whether an error only ends a body. A 204 has none, whatever its Content-Length says (RFC 9110 §6.4.1). */
  #onlyEndsBody(status: number, error: unknown): boolean {
    const code = findErrorCode(error);
    const isMismatch = code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH";
    const isClosed = classifyErrorCode(code) === "connection_reset";
    return this.#options.allowTruncated ? isMismatch || isClosed : isMismatch && status === 204;
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}

export async function sendOnce(
  options: WebhookSenderOptions,
  headers: readonly string[],
  body: Uint8Array,
): Promise<WebhookResponse> {
  const sender = new WebhookSender(options);
  try {
    return await sender.send(headers, body);
  } finally {
    await sender.close();
  }
}

async function readExcerpt(
  { body, discard }: HttpResponse,
  isEnd: (error: unknown) => boolean,
): Promise<Buffer> {
  const received = new ByteCollector();
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      received.append(chunk.subarray(0, MAX_BODY_BYTES - received.length));
      if (received.length === MAX_BODY_BYTES) break;
    }
  } catch (error) {
    if (!isEnd(error)) throw error;
  }
  discard();
  return received.bytes();
}

const HINTS: Readonly<Record<ConnectionFailure, string>> = {
  dns_error: "check the host name",
  connection_refused: "start the receiver, or check host and port",
  connection_reset: "look at the log of the receiver",
  timeout: "a receiver responds first and works afterwards",
  tls_error: "--ca-file or NODE_EXTRA_CA_CERTS names a file with an authority to trust",
  network_error: "look at the log of the receiver",
};

/** The error for a request without a response, with the code that the service uses (product.md §5). */
function toDeliveryError(url: string, cause: unknown, code: string): ClaimsError {
  const failure = classifyErrorCode(code);
  return unreachableError(failure, `${url}: ${describeErrorCode(code)}`, {
    hint: HINTS[failure],
    retryable: true,
    cause,
  });
}
