import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { usageError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import { describeFileError } from "../files/file-errors.ts";

export const CA_FILE_HINT = "name a PEM file with the certificate of the authority";

export async function readCaFile({ cwd }: Context, path: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, path), "utf8");
  } catch (cause) {
    throw usageError("ca_unreadable", `cannot read the CA file ${path}: ${describeFileError(cause)}`, {
      hint: CA_FILE_HINT,
      cause,
    });
  }
}
