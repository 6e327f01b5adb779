import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Context } from "../context.ts";
import { writeFileAtomically } from "./atomic-file.ts";
import { createStateFolder, resolveStateFolder } from "./folders.ts";

/**
 * Mode 0600. A failure must not hide what the service did (product.md §2).
 *
 * @param name as in `submission`
 * @returns the path of a saved response, and a clause for the error message
 */
export async function saveResponse(context: Context, name: string, body: Uint8Array) {
  const path = join(resolveStateFolder(context), `${name}-${randomUUID()}.response`);
  try {
    await createStateFolder(context);
    await writeFileAtomically(path, [body], { mode: 0o600 });
    return { path, note: `the response is saved as ${path}` };
  } catch (error) {
    return { note: `the response could not be saved (${(error as Error).message})` };
  }
}
