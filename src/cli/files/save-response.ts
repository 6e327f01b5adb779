import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Context } from "../context.ts";
import { writeFileAtomically } from "./atomic-file.ts";
import { createStateFolder, resolveStateFolder } from "./folders.ts";

/**
 * Saves a response that cannot be used as it is and cannot be had again (product.md §2, "Nothing is lost"), for the owner's
 * eyes only. Resolves to a clause for the error message; a failure to save must not hide what the service did.
 *
 * @param what names the file, as in `submission`
 */
export async function saveResponse(context: Context, what: string, body: Uint8Array): Promise<string> {
  const path = join(resolveStateFolder(context), `${what}-${randomUUID()}.response`);
  try {
    await createStateFolder(context);
    await writeFileAtomically(path, [body], { mode: 0o600 });
    return `the response is saved as ${path}`;
  } catch (error) {
    return `the response could not be saved either (${(error as Error).message})`;
  }
}
