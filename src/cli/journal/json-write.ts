import { Buffer } from "node:buffer";
import { contentHash } from "./content.ts";
import type { Write } from "./journaled.ts";

/** A write with a JSON body, and without a job, as the journal keeps it. */
export async function jsonWrite(
  operation: string,
  json: object,
  params?: Readonly<Record<string, string>>,
): Promise<Write> {
  const body = Buffer.from(JSON.stringify(json));
  return {
    operation,
    content: await contentHash({ operation, params }, [body]),
    seller: null,
    file: null,
    bytes: body.length,
    jobIdOf: () => null,
  };
}
