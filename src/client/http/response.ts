import { Buffer } from "node:buffer";
import type { ContractForm } from "../../contract/observed/contract-form.ts";
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
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES)
      throw rejectedError("response_too_large", `the response is larger than ${MAX_BODY_BYTES} bytes`, {
        hint: "read it as a stream",
      });
    chunks.push(chunk);
  }
  return { ...response, body: Buffer.concat(chunks) };
}
