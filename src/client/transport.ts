import type { Readable } from "node:stream";
import { Agent } from "undici";

/** One HTTP exchange as the client sees it. */
export interface Exchange {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Readable | string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RawAnswer {
  readonly status: number;
  /** Names in lower case; repeated headers joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
  /** Lets go of a body that nobody will read. */
  discard(): Promise<void>;
}

export interface TransportOptions {
  /** PEM text of a certificate authority to trust beside none other. */
  readonly ca?: string | undefined;
  /** Milliseconds for connecting, for the head of the answer, and between two parts of its body. */
  readonly requestTimeout: number;
}

/** HTTP over undici; redirects are answers like any other. */
export class Transport {
  readonly #agent: Agent;
  #wasConnected = false;

  constructor({ ca, requestTimeout }: TransportOptions) {
    this.#agent = new Agent({
      connect: { timeout: Math.min(requestTimeout, 10_000), ...(ca !== undefined && { ca }) },
      headersTimeout: requestTimeout,
      bodyTimeout: requestTimeout,
      pipelining: 1,
    });
  }

  /** Whether there has been any connection yet; before, nothing can have been sent. */
  get wasConnected(): boolean {
    return this.#wasConnected;
  }

  async send({ url, method, headers, body, signal }: Exchange): Promise<RawAnswer> {
    const { origin, pathname, search } = new URL(url);
    const path = pathname + search;
    const answer = await this.#agent.request({
      origin,
      path,
      method,
      headers,
      body: body ?? null,
      signal: signal ?? null,
    });
    return {
      status: answer.statusCode,
      headers: joined(answer.headers),
      body: answer.body,
      discard: () => answer.body.dump(),
    };
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

function joined(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] => entry[1] !== undefined,
  );
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}
