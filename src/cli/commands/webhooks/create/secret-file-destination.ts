import { access, constants, open, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { ClaimsError } from "../../../../domain/errors.ts";
import type { Context } from "../../../context.ts";
import { writeFileAtomically } from "../../../files/atomic-file.ts";
import { describeFileError, describeNewFileError } from "../../../files/file-errors.ts";
import type { SecretDestination } from "./secret-destinations.ts";

/**
 * A file with nothing but the secret, without a line end: taken for a part of the key, one would break every signature.
 * It is made, empty, before anything is sent: nobody else can take its name, and that it can be written is known.
 */
export async function openSecretFile(
  context: Context,
  file: string,
  force: boolean,
): Promise<SecretDestination> {
  const path = resolve(context.cwd, file);
  let isReserved = await createEmptyFile(path, file, force);
  return {
    label: file,
    async write(secret) {
      await writeFileAtomically(path, [secret], { mode: 0o600 });
      isReserved = false;
    },
    async release() {
      if (isReserved) await removeEmpty(path);
    },
  };
}

/** What others have put there meanwhile stays; that it cannot be removed must not hide what became of the endpoint. */
async function removeEmpty(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() && found.size === 0) await rm(path, { force: true }).catch(() => {});
}

/** Whether the file was made by this; false where it may be replaced. */
async function createEmptyFile(path: string, file: string, force: boolean): Promise<boolean> {
  try {
    await (await open(path, "wx", 0o600)).close();
    return true;
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === "EEXIST";
    if (isThere && !force)
      throw new ClaimsError("usage", "secret_exists", `${file} is there already; nothing was sent`, {
        hint: "name another file, or give --force to replace it",
      });
    const problem = isThere ? await findReplaceProblem(path) : describeNewFileError(error);
    if (problem === null) return false;
    throw new ClaimsError("usage", "cannot_write", `cannot write ${file}: ${problem}; nothing was sent`, {
      hint: "name another file",
      cause: error,
    });
  }
}

async function findReplaceProblem(path: string): Promise<string | null> {
  try {
    if (!(await stat(path)).isFile()) return "it is no file";
    await access(path, constants.W_OK);
    return null;
  } catch (error) {
    return describeFileError(error);
  }
}
