import type { Buffer } from "node:buffer";
import { ByteCollector } from "../../domain/byte-collector.ts";
import type { ApiResponse } from "./response.ts";

export interface ObservedResponse extends Omit<ApiResponse, "body"> {
  /** Null if it was truncated, not read to its end, or too large to keep. */
  readonly body: Buffer | null;
}

/** A contract of a service may have this size; a dataset that is larger shows nothing more. */
const MAX_OBSERVED_BYTES = 16 << 20;

export async function* observeBody(
  body: AsyncIterable<Uint8Array>,
  observe: (body: Buffer | null) => void,
): AsyncGenerator<Uint8Array> {
  let seen: ByteCollector | null = new ByteCollector();
  let isWhole = false;
  try {
    for await (const chunk of body) {
      if (seen && seen.length + chunk.length > MAX_OBSERVED_BYTES) seen = null;
      seen?.append(chunk);
      yield chunk;
    }
    isWhole = true;
  } finally {
    observe(isWhole && seen ? seen.bytes() : null);
  }
}
