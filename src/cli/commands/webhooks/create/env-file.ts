import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { type ClaimsError, usageError } from "../../../../domain/errors.ts";
import type { Context } from "../../../context.ts";
import { describeFileError, describeNewFileError } from "../../../files/file-errors.ts";
import { readRegularFile } from "../../../files/regular-file.ts";
import { printMessage } from "../../../output/stderr.ts";

/** An empty text if the file does not exist. */
export async function readEnvFile(path: string, file: string): Promise<string> {
  try {
    return (await readRegularFile(path)) ?? "";
  } catch (error) {
    throw envFileError(`cannot read ${file}: ${describeFileError(error)}`, error);
  }
}

export async function requireWritableEnvFile(context: Context, path: string, file: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found && context.platform !== "win32" && found.mode & 0o077)
    printMessage(context, `warning: other users can read ${file}; run chmod 600 on it`);
  try {
    await access(dirname(path), constants.W_OK);
    if (found) await access(path, constants.W_OK);
  } catch (error) {
    const problem = (found ? describeFileError : describeNewFileError)(error);
    throw envFileError(`cannot write ${file}: ${problem}`, error);
  }
}

const envFileError = (message: string, cause: unknown): ClaimsError =>
  usageError("cannot_write", `${message}; nothing was sent`, {
    hint: "name another file, or give --secret-file",
    cause,
  });

/** Replaces the last line of that name in the text of a .env file, which is the one that counts, or adds a line. */
export function setVariable(text: string, name: string, value: string): string {
  // Every program reads these characters unquoted. Within single quotes, neither dotenv nor a shell expands anything.
  const line = `${name}=${/^[\w.+/:@=-]+$/.test(value) ? value : `'${value}'`}`;
  const lines = [...text.matchAll(new RegExp(`^[ \\t]*(export[ \\t]+)?${name}[ \\t]*=[^\\r\\n]*`, "gm"))];
  const last = lines.at(-1);
  if (last)
    return text.slice(0, last.index) + (last[1] ?? "") + line + text.slice(last.index + last[0].length);
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  return `${text}${text === "" || text.endsWith("\n") ? "" : end}${line}${end}`;
}

/** A single quote ends the quotes for every program, and a backslash escapes for some. */
export const isSafeInEnvFile = (value: string): boolean => !/['\\]/.test(value);
