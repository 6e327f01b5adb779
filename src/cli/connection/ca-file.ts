import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { usageError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import { describeFileError } from "../files/file-errors.ts";

/** What a file must be that names whom to trust. */
export const CA_FILE_HINT = "name a file with the certificate of the authority, PEM";

/**
 * The text of a certificate authority.
 *
 * @param path from `--ca-file` or a profile
 * @throws ClaimsError `ca_unreadable`
 */
export async function readCaFile({ cwd }: Context, path: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, path), "utf8");
  } catch (cause) {
    const message = `the CA file ${path} cannot be read: ${describeFileError(cause)}`;
    throw usageError("ca_unreadable", message, { hint: CA_FILE_HINT, cause });
  }
}
