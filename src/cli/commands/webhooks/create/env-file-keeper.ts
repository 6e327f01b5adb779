import { access, constants, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parseEnv } from "node:util";
import { ClaimsError } from "../../../../domain/errors.ts";
import { writeWhole } from "../../../atomic-file.ts";
import type { Context } from "../../../context.ts";
import { fileProblem } from "../../../file-problem.ts";
import { readRegular } from "../../../regular-file.ts";
import { say } from "../../../say.ts";
import { withVariable } from "./env-text.ts";
import { type SecretKeeper, secretExists } from "./secret-keepers.ts";

const VARIABLE = "CLAIMS_WEBHOOK_SECRET";

/** One variable of a .env file; every other line stays as it is, and the file is replaced whole. */
export async function envFileKeeper(context: Context, file: string, force: boolean): Promise<SecretKeeper> {
  const path = resolve(context.cwd, file);
  if (parseEnv(await textOf(path, file))[VARIABLE] && !force) throw secretExists(`${VARIABLE} in ${file}`);
  await requireWritable(context, path, file);
  return {
    place: `${VARIABLE} in ${file}`,
    async keep(secret) {
      // Read anew: somebody may have written to it meanwhile.
      const text = withVariable(await textOf(path, file), VARIABLE, secret);
      await writeWhole(path, [text], { mode: (await stat(path).catch(() => null))?.mode ?? 0o600 });
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
    throw unwritable(file, `cannot be written: ${fileProblem(error)}`, error);
  }
}

const unwritable = (file: string, what: string, cause: unknown): ClaimsError =>
  new ClaimsError("usage", "cannot_write", `${file} ${what}; nothing was sent`, {
    hint: "name another file, or give --secret-file",
    cause,
  });
