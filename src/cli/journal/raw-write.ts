import type { RawRequest } from "../../client/client.ts";
import { contentHash } from "./content.ts";
import type { Write } from "./journaled.ts";

/**
 * A raw request as the journal keeps it.
 *
 * @param body its bytes, and how many there are
 */
export async function rawWrite(
  { method, path, headers = {}, source }: RawRequest,
  body?: { readonly size: number; pieces(): AsyncIterable<Uint8Array> },
): Promise<Write & { readonly given: string | undefined }> {
  const operation = `${method} ${path}`;
  return {
    operation,
    content: await contentHash({ operation }, body?.pieces()),
    seller: null,
    file: source ?? null,
    bytes: body?.size ?? null,
    jobIdOf: () => null,
    given: Object.entries(headers).find(([name]) => name.toLowerCase() === "idempotency-key")?.[1],
  };
}
