import { access, constants, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parseEnv } from "node:util";
import { ClaimsError } from "../../../../domain/errors.ts";
import type { Context } from "../../../context.ts";
import { writeFileAtomically } from "../../../files/atomic-file.ts";
import { describeFileError, describeNewFileError } from "../../../files/file-errors.ts";
import { withLock } from "../../../files/file-lock.ts";
import { readRegularFile } from "../../../files/regular-file.ts";
import { printMessage } from "../../../output/stderr.ts";
import { isSafeInEnvFile, setVariable } from "./env-text.ts";
import { type SecretDestination, secretChangedError, secretExistsError } from "./secret-destinations.ts";

const VARIABLE = "CLAIMS_WEBHOOK_SECRET";

/** One variable of a .env file; every other line stays as it is, and the file is replaced whole. */
export async function openEnvFile(
  context: Context,
  file: string,
  force: boolean,
): Promise<SecretDestination> {
  const path = resolve(context.cwd, file);
  const place = `${VARIABLE} in ${file}`;
  const isFree = (text: string): boolean => force || !parseEnv(text)[VARIABLE];
  if (!isFree(await readEnvFile(path, file))) throw secretExistsError(place);
  await requireWritable(context, path, file);
  return {
    label: place,
    async write(secret) {
      if (!isSafeInEnvFile(secret)) throw unquotableError(file);
      await withLock(context, path, async () => {
        // Read anew: somebody may have written to it meanwhile.
        const text = await readEnvFile(path, file);
        if (!isFree(text)) throw secretChangedError(place);
        const mode = (await stat(path).catch(() => null))?.mode ?? 0o600;
        await writeFileAtomically(path, [setVariable(text, VARIABLE, secret)], { mode });
      });
    },
    release: async () => {},
  };
}

async function readEnvFile(path: string, file: string): Promise<string> {
  try {
    return (await readRegularFile(path)) ?? "";
  } catch (error) {
    throw unwritableError(file, `cannot be read: ${describeFileError(error)}`, error);
  }
}

async function requireWritable(context: Context, path: string, file: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found && context.platform !== "win32" && found.mode & 0o077)
    printMessage(context, `warning: others can read ${file}; chmod 600 keeps the secret to you`);
  try {
    await access(dirname(path), constants.W_OK);
    if (found) await access(path, constants.W_OK);
  } catch (error) {
    throw unwritableError(
      file,
      `cannot be written: ${(found ? describeFileError : describeNewFileError)(error)}`,
      error,
    );
  }
}

const unquotableError = (file: string): ClaimsError =>
  new ClaimsError(
    "usage",
    "cannot_write",
    `cannot write ${VARIABLE} to ${file}: not all programs read a quote or a backslash in a .env file alike`,
    { hint: "name the file with the secret in CLAIMS_WEBHOOK_SECRET_FILE" },
  );

const unwritableError = (file: string, what: string, cause: unknown): ClaimsError =>
  new ClaimsError("usage", "cannot_write", `${file} ${what}; nothing was sent`, {
    hint: "name another file, or give --secret-file",
    cause,
  });
