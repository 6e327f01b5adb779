import { X509Certificate } from "node:crypto";
import { resolve } from "node:path";
import { usageError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import { cannotRead } from "../files/file-errors.ts";
import { readSmallFile } from "../files/input-file.ts";

const HINT = "name a PEM file with the certificate of the authority";

const CERTIFICATE =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[\s\S]*?-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;

/** Reads a PEM file of certificates. Node would ignore a file without one, and trust nothing. @throws ClaimsError `invalid_input` */
export async function readCaFile({ cwd }: Context, path: string): Promise<string> {
  const bytes = await readSmallFile(resolve(cwd, path)).catch(cannotRead(`the CA file ${path}`, HINT));
  const text = bytes.toString("utf8");
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length === 0)
    throw usageError("invalid_input", `the CA file ${path} contains no certificate`, { hint: HINT });
  try {
    for (const certificate of certificates) new X509Certificate(certificate);
  } catch (cause) {
    const message = `the CA file ${path} contains an invalid certificate`;
    throw usageError("invalid_input", message, { hint: HINT, cause });
  }
  return text;
}

/** The same for an option, which may not be given. */
export const readCaOption = async (
  context: Context,
  path: string | undefined,
): Promise<string | undefined> => (path === undefined ? undefined : readCaFile(context, path));
