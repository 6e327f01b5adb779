import { Buffer } from "node:buffer";
import { setMaxListeners } from "node:events";
import { ClaimsError, interruption } from "../domain/errors.ts";
import type { AttemptFailure } from "../domain/webhooks/deliveries.ts";
import type { RawAnswer } from "./exchange.ts";
import { codeOf, explain } from "./failure.ts";
import { linkSignals } from "./link-signals.ts";
import type { ProxySettings } from "./proxy.ts";
import { isCertificateFault } from "./retry.ts";
import { Transport } from "./transport.ts";

interface PosterOptions {
  readonly url: string;
  /** Milliseconds from the start to the end of the answer. */
  readonly patience: number;
  /** PEM text of a certificate authority to trust. */
  readonly ca?: string | undefined;
  readonly proxy?: ProxySettings | undefined;
  readonly signal: AbortSignal;
  /** Milliseconds. */
  now(): number;
}

/** An answer to what was posted. */
export interface Posted {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: RawAnswer["headers"];
  /** Its beginning. */
  readonly body: Buffer;
  readonly milliseconds: number;
}

/** More of an answer is not waited for: what succeeded has, by then (product.md §5). */
const MOST_READ = 16_384;

/** Posts bytes to one URL as they are: each once, and no redirect is followed. */
export class Poster {
  readonly #options: PosterOptions;
  readonly #transport: Transport;
  readonly #signal: AbortSignal;

  constructor(options: PosterOptions) {
    this.#options = options;
    const { url, patience, ca, proxy } = options;
    // What is under way listens to it; Node takes more than ten listeners for a leak.
    this.#signal = AbortSignal.any([options.signal]);
    setMaxListeners(0, this.#signal);
    this.#transport = new Transport({
      baseUrl: url,
      requestTimeout: patience,
      ca,
      proxy,
      signal: this.#signal,
    });
  }

  /**
   * @param headers names and values in turn
   * @throws ClaimsError `unreachable` with the code of what went wrong; `interrupted`
   */
  async post(headers: readonly string[], body: Uint8Array): Promise<Posted> {
    const { url, patience, now } = this.#options;
    const stop = this.#signal;
    const tooLate = AbortSignal.timeout(patience);
    const { signal, unlink } = linkSignals(stop, tooLate);
    const startedAt = now();
    try {
      const answer = await this.#transport.send({
        method: "POST",
        url,
        headers,
        body,
        signal,
      });
      const beginning = await beginningOf(answer);
      return {
        status: answer.status,
        headers: answer.headers,
        body: beginning,
        milliseconds: now() - startedAt,
      };
    } catch (error) {
      throw stop.aborted ? interruption(error) : unanswered(url, tooLate.aborted ? TOO_LATE : error);
    } finally {
      unlink();
    }
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}

const TOO_LATE = Object.assign(new Error("no complete answer in time"), { code: "TOTAL_TIMEOUT" });

async function beginningOf({ body, discard }: RawAnswer): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    pieces.push(piece);
    size += piece.length;
    if (size >= MOST_READ) break;
  }
  discard();
  return Buffer.concat(pieces).subarray(0, MOST_READ);
}

/** Why there was no answer, by the names that the service has for it (product.md §5). */
function unanswered(url: string, cause: unknown): ClaimsError {
  if (cause instanceof ClaimsError) return cause;
  const code = codeOf(cause);
  return new ClaimsError("unreachable", failureOf(code), `${url}: ${explain(code)}`, {
    hint: HINTS[failureOf(code)] ?? "look at what listens there",
    retryable: true,
    cause,
  });
}

function failureOf(code: string): AttemptFailure {
  if (code === "ECONNREFUSED") return "connection_refused";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "dns_error";
  if (code === "ECONNRESET" || code === "EPIPE" || code === "UND_ERR_SOCKET") return "connection_reset";
  if (/TIMEOUT/.test(code)) return "timeout";
  return isCertificateFault(code) ? "tls_error" : "network_error";
}

const HINTS: Readonly<Partial<Record<AttemptFailure, string>>> = {
  connection_refused: "start the receiver, or check host and port",
  dns_error: "check the host name",
  timeout: "a receiver answers first and works afterwards",
  tls_error: "NODE_EXTRA_CA_CERTS names the file of an authority to trust beside the others",
};
