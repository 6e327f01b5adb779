import { Buffer } from "node:buffer";
import { ClaimsError } from "../../domain/errors.ts";

/** Longest answer that is read into memory; a dataset is streamed instead. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

/** An answer in the 200s. */
export interface ApiResponse {
  readonly status: number;
  /** Names in lower case; a secret of ours that the service repeats is blanked out. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes the service sent. */
  readonly body: Buffer;
}

/** An answer in the 200s whose body is still on its way. */
export interface StreamingResponse extends Omit<ApiResponse, "body"> {
  /** The bytes as they come; a connection that breaks off throws a {@link ClaimsError} and is not taken for the end. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Reads a body whole. */
export async function readResponse({ status, headers, body }: StreamingResponse): Promise<ApiResponse> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw responseTooLarge();
    chunks.push(chunk);
  }
  return { status, headers, body: Buffer.concat(chunks) };
}

const responseTooLarge = (): ClaimsError =>
  new ClaimsError("rejected", "answer_too_large", `the answer is larger than ${MAX_BODY_BYTES} bytes`, {
    hint: "only a dataset may be that large; it is read as a stream",
  });
