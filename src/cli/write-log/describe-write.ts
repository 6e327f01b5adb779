import { Buffer } from "node:buffer";
import { hashContent } from "./content-hash.ts";
import type { WriteDescription } from "./send-logged.ts";

/** A write with a JSON body, and without a job, as the journal keeps it. */
export async function describeJsonWrite(
  operation: string,
  json: object,
  params?: Readonly<Record<string, string>>,
): Promise<WriteDescription> {
  const body = Buffer.from(JSON.stringify(json));
  return {
    operation,
    content: await hashContent({ operation, params }, [body]),
    seller: null,
    file: null,
    bytes: body.length,
    jobIdOf: () => null,
  };
}
