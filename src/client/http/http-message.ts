import type { Readable } from "node:stream";

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  /** By name, or a flat list like Node's `rawHeaders`, which keeps case, order and repetition. */
  readonly headers: Readonly<Record<string, string>> | readonly string[];
  readonly body?: Readable | Uint8Array | string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; repeated headers are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
  /** Drops the body. Only a body that has arrived already leaves its connection open for others. */
  discard(): void;
}
