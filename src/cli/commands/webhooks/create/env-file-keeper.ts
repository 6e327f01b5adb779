import { access, constants, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parseEnv } from "node:util";
import { ClaimsError } from "../../../../domain/errors.ts";
import { writeWhole } from "../../../atomic-file.ts";
import type { Context } from "../../../context.ts";
import { withLock } from "../../../file-lock.ts";
import { fileProblem, newFileProblem } from "../../../file-problem.ts";
import { readRegular } from "../../../regular-file.ts";
import { say } from "../../../say.ts";
import { fitsEnvFile, withVariable } from "./env-text.ts";
import { type SecretKeeper, secretCame, secretExists } from "./secret-keepers.ts";

const VARIABLE = "CLAIMS_WEBHOOK_SECRET";

/** One variable of a .env file; every other line stays as it is, and the file is replaced whole. */
export async function envFileKeeper(context: Context, file: string, force: boolean): Promise<SecretKeeper> {
  const path = resolve(context.cwd, file);
  const place = `${VARIABLE} in ${file}`;
  const isFree = (text: string): boolean => force || !parseEnv(text)[VARIABLE];
  if (!isFree(await textOf(path, file))) throw secretExists(place);
  await requireWritable(context, path, file);
  return {
    place,
    async keep(secret) {
      if (!fitsEnvFile(secret)) throw unquotable(file);
      await withLock(context, path, async () => {
        // Read anew: somebody may have written to it meanwhile.
        const text = await textOf(path, file);
        if (!isFree(text)) throw secretCame(place);
        const mode = (await stat(path).catch(() => null))?.mode ?? 0o600;
        await writeWhole(path, [withVariable(text, VARIABLE, secret)], { mode });
      });
    },
    release: async () => {},
  };
}

async function textOf(path: string, file: string): Promise<string> {
  try {
    return await readRegular(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw unwritable(file, `cannot be read: ${fileProblem(error)}`, error);
  }
}

async function requireWritable(context: Context, path: string, file: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found && context.platform !== "win32" && found.mode & 0o077)
    say(context, `warning: others can read ${file}; chmod 600 keeps the secret to you`);
  try {
    await access(dirname(path), constants.W_OK);
    if (found) await access(path, constants.W_OK);
  } catch (error) {
    throw unwritable(file, `cannot be written: ${(found ? fileProblem : newFileProblem)(error)}`, error);
  }
}

const unquotable = (file: string): ClaimsError =>
  new ClaimsError(
    "usage",
    "cannot_write",
    `cannot write ${VARIABLE} to ${file}: not all programs read a quote or a backslash in a .env file alike`,
    { hint: "name the file with the secret in CLAIMS_WEBHOOK_SECRET_FILE" },
  );

const unwritable = (file: string, what: string, cause: unknown): ClaimsError =>
  new ClaimsError("usage", "cannot_write", `${file} ${what}; nothing was sent`, {
    hint: "name another file, or give --secret-file",
    cause,
  });
