import type { Readable } from "node:stream";

/** One HTTP exchange as the client sees it. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  /** By name, or as Node's `rawHeaders` has them, where case, order and repetition are to be kept. */
  readonly headers: Readonly<Record<string, string>> | readonly string[];
  readonly body?: Readable | Uint8Array | string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; repeated headers joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
  /**
   * Lets go of a body that nobody will read. One that has come meanwhile leaves its connection to others; any other would
   * have to be waited for, however slowly it comes.
   */
  discard(): void;
}
