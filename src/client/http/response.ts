import type { Buffer } from "node:buffer";
import type { ContractForm } from "../../contract/observed/contract-form.ts";
import { ByteCollector } from "../../domain/byte-collector.ts";
import { rejectedError } from "../../domain/errors.ts";

/** A dataset is larger; it is streamed. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

/** A successful response (2xx). */
export interface ApiResponse {
  readonly status: number;
  /** Names in lower case. Credentials that the service repeats are redacted. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Of an observed service, if the contract has the route. */
  readonly form?: ContractForm | undefined;
}

/** A successful response whose body is still arriving. */
export interface StreamingResponse extends Omit<ApiResponse, "body"> {
  /** Throws a `ClaimsError` if the body is truncated. */
  readonly body: AsyncIterable<Uint8Array>;
}

export async function readResponse({ body, ...response }: StreamingResponse): Promise<ApiResponse> {
  const received = new ByteCollector();
  for await (const chunk of body) {
    if (received.length + chunk.length > MAX_BODY_BYTES)
      throw rejectedError("response_too_large", `the response is larger than ${MAX_BODY_BYTES} bytes`, {
        hint: "read it as a stream",
      });
    received.append(chunk);
  }
  return { ...response, body: received.bytes() };
}
