import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Context } from "../context.ts";
import { writeFileAtomically } from "./atomic-file.ts";
import { createStateFolder, resolveStateFolder } from "./folders.ts";

/**
 * Saves an unusable response that cannot be requested again (product.md §2, "Nothing is lost"), with mode 0600. Resolves
 * to a clause for the error message, also on failure, which must not hide what the service did.
 *
 * @param name of the file, as in `submission`
 */
export async function saveResponse(context: Context, name: string, body: Uint8Array): Promise<string> {
  const path = join(resolveStateFolder(context), `${name}-${randomUUID()}.response`);
  try {
    await createStateFolder(context);
    await writeFileAtomically(path, [body], { mode: 0o600 });
    return `the response is saved as ${path}`;
  } catch (error) {
    return `the response could not be saved (${(error as Error).message})`;
  }
}
