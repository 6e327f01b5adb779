import { Buffer } from "node:buffer";
import type { ApiResponse } from "./response.ts";

/** A response of any status. */
export interface ObservedResponse extends Omit<ApiResponse, "body"> {
  /** Null if it was truncated, not read to its end, or too large to keep. */
  readonly body: Buffer | null;
}

/** A contract of a service may have this size; a dataset that is larger shows nothing more. */
export const MAX_OBSERVED_BYTES = 16 << 20;

/** Passes a body on, and gives it to an observer at its end. */
export async function* observeBody(
  body: AsyncIterable<Uint8Array>,
  observe: (body: Buffer | null) => void,
): AsyncGenerator<Uint8Array> {
  let chunks: Uint8Array[] | null = [];
  let size = 0;
  let isWhole = false;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > MAX_OBSERVED_BYTES) chunks = null;
      chunks?.push(chunk);
      yield chunk;
    }
    isWhole = true;
  } finally {
    observe(isWhole && chunks ? Buffer.concat(chunks) : null);
  }
}
