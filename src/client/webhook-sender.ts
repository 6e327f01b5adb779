import { Buffer } from "node:buffer";
import { setMaxListeners } from "node:events";
import { ClaimsError, interruptedError } from "../domain/errors.ts";
import { findErrorCode } from "../domain/net.ts";
import type { AttemptFailure } from "../domain/webhooks/deliveries.ts";
import type { HttpResponse } from "./http/exchange.ts";
import { linkSignals } from "./http/link-signals.ts";
import type { ProxySettings } from "./http/proxy.ts";
import { describeErrorCode } from "./http/request-errors.ts";
import { isCertificateError } from "./http/retry.ts";
import { Transport } from "./http/transport.ts";

interface WebhookSenderOptions {
  readonly url: string;
  /** Milliseconds from the start to the end of the answer. */
  readonly timeoutMs: number;
  /** PEM text of a certificate authority to trust. */
  readonly ca?: string | undefined;
  readonly proxy?: ProxySettings | undefined;
  readonly signal: AbortSignal;
  /** Milliseconds. */
  now(): number;
}

/** An answer to what was posted. */
export interface WebhookResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: HttpResponse["headers"];
  /** Its beginning. */
  readonly body: Buffer;
  readonly durationMs: number;
}

/** More of an answer is not waited for: what succeeded has, by then (product.md §5). */
const MAX_BODY_BYTES = 16_384;

/** Posts bytes to one URL as they are: each once, and no redirect is followed. */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #transport: Transport;
  readonly #signal: AbortSignal;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
    const { url, timeoutMs: patience, ca, proxy } = options;
    // What is under way listens to it; Node takes more than ten listeners for a leak.
    this.#signal = AbortSignal.any([options.signal]);
    setMaxListeners(0, this.#signal);
    this.#transport = new Transport({
      baseUrl: url,
      requestTimeoutMs: patience,
      ca,
      proxy,
      signal: this.#signal,
    });
  }

  /**
   * @param headers names and values in turn
   * @throws ClaimsError `unreachable` with the code of what went wrong; `interrupted`
   */
  async send(headers: readonly string[], body: Uint8Array): Promise<WebhookResponse> {
    const { url, timeoutMs: patience, now } = this.#options;
    const stopSignal = this.#signal;
    const timeout = AbortSignal.timeout(patience);
    const { signal, unlink } = linkSignals(stopSignal, timeout);
    const startedAt = now();
    try {
      const answer = await this.#transport.send({
        method: "POST",
        url,
        headers,
        body,
        signal,
      });
      const beginning = await readExcerpt(answer);
      return {
        status: answer.status,
        headers: answer.headers,
        body: beginning,
        durationMs: now() - startedAt,
      };
    } catch (error) {
      throw stopSignal.aborted
        ? interruptedError(error)
        : toDeliveryError(url, timeout.aborted ? TOTAL_TIMEOUT : error);
    } finally {
      unlink();
    }
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}

const TOTAL_TIMEOUT = Object.assign(new Error("no complete answer in time"), { code: "TOTAL_TIMEOUT" });

async function readExcerpt({ body, discard }: HttpResponse): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    pieces.push(piece);
    size += piece.length;
    if (size >= MAX_BODY_BYTES) break;
  }
  discard();
  return Buffer.concat(pieces).subarray(0, MAX_BODY_BYTES);
}

/** Why there was no answer, by the names that the service has for it (product.md §5). */
function toDeliveryError(url: string, cause: unknown): ClaimsError {
  if (cause instanceof ClaimsError) return cause;
  const code = findErrorCode(cause);
  return new ClaimsError("unreachable", classifyErrorCode(code), `${url}: ${describeErrorCode(code)}`, {
    hint: HINTS[classifyErrorCode(code)] ?? "look at what listens there",
    retryable: true,
    cause,
  });
}

function classifyErrorCode(code: string): AttemptFailure {
  if (code === "ECONNREFUSED") return "connection_refused";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "dns_error";
  if (code === "ECONNRESET" || code === "EPIPE" || code === "UND_ERR_SOCKET") return "connection_reset";
  if (/TIMEOUT/.test(code)) return "timeout";
  return isCertificateError(code) ? "tls_error" : "network_error";
}

const HINTS: Readonly<Partial<Record<AttemptFailure, string>>> = {
  connection_refused: "start the receiver, or check host and port",
  dns_error: "check the host name",
  timeout: "a receiver answers first and works afterwards",
  tls_error: "NODE_EXTRA_CA_CERTS names the file of an authority to trust beside the others",
};
