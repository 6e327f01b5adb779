import type { RawRequest } from "../../client/client.ts";
import { hashContent } from "./content-hash.ts";
import type { WriteDescription } from "./send-logged.ts";

/**
 * A raw request as the journal keeps it.
 *
 * @param body its bytes, and how many there are
 */
export async function describeRawWrite(
  { method, path, headers = {}, source }: RawRequest,
  body?: { readonly size: number; chunks(): AsyncIterable<Uint8Array> },
): Promise<WriteDescription & { readonly given: string | undefined }> {
  const operation = `${method} ${path}`;
  return {
    operation,
    content: await hashContent({ operation }, body?.chunks()),
    seller: null,
    file: source ?? null,
    bytes: body?.size ?? null,
    jobIdOf: () => null,
    given: Object.entries(headers).find(([name]) => name.toLowerCase() === "idempotency-key")?.[1],
  };
}
