import type { Buffer } from "node:buffer";
import type { ResponseReader } from "../../contract/mapping/read.ts";
import { ByteCollector } from "../../domain/byte-collector.ts";
import { rejectedError } from "../../domain/errors.ts";
import { unreadableResponseError } from "./request-errors.ts";

/** Of a document. A dataset may be larger. */
const MAX_BODY_BYTES = 16 << 20;

export interface ApiResponse {
  readonly status: number;
  /** Names in lower case. Credentials that the service repeats are redacted. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Reads the body of an operation by the mapping of the service. */
  readonly reader?: ResponseReader | undefined;
}

export interface StreamingResponse extends Omit<ApiResponse, "body"> {
  /** Throws a `ClaimsError` if the body is truncated. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** @param method of the request; after a write, a response that is too large leaves the outcome open */
export async function readResponse(
  { body, ...response }: StreamingResponse,
  method = "GET",
  maxBytes = MAX_BODY_BYTES,
): Promise<ApiResponse> {
  const received = new ByteCollector();
  for await (const chunk of body) {
    received.append(chunk);
    if (received.length <= maxBytes) continue;
    const message = `the response is larger than ${maxBytes} bytes`;
    if (method !== "GET") throw unreadableResponseError(message, { status: response.status });
    throw rejectedError("response_too_large", message, { hint: "read it as a stream" });
  }
  return { ...response, body: received.bytes() };
}
