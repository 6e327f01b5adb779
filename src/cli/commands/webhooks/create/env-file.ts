import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { type ClaimsError, usageError } from "../../../../domain/errors.ts";
import type { Context } from "../../../context.ts";
import { describeFileError, describeNewFileError } from "../../../files/file-errors.ts";
import { readRegularFile } from "../../../files/regular-file.ts";
import { printMessage } from "../../../output/stderr.ts";

const NOTHING_SENT = "; nothing was sent";

/** Reads the file before the request. An empty text if it does not exist. */
export const readEnvFile = (path: string, file: string): Promise<string> =>
  readEnvFileAgain(path, file, NOTHING_SENT);

/** Reads the file after the request. */
export async function readEnvFileAgain(path: string, file: string, consequence = ""): Promise<string> {
  let text: string;
  try {
    text = (await readRegularFile(path)) ?? "";
  } catch (error) {
    throw envFileError(`cannot read ${file}: ${describeFileError(error)}${consequence}`, error);
  }
  const at = text.search(LONE_RETURN);
  if (at === -1) return text;
  const line = text.slice(0, at).split("\n").length;
  throw envFileError(
    `cannot change ${file}: line ${line} has a carriage return without a line feed, which programs read differently${consequence}`,
  );
}

const LONE_RETURN = /\r(?!\n)/;

/** Node joins what such a carriage return separates; other programs begin a line there. */
export const hasLoneReturn = (text: string): boolean => LONE_RETURN.test(text);

export async function requireWritableEnvFile(context: Context, path: string, file: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found && context.platform !== "win32" && found.mode & 0o077)
    printMessage(context, `warning: other users can read ${file}; run chmod 600 on it`);
  try {
    await access(dirname(path), constants.W_OK);
    if (found) await access(path, constants.W_OK);
  } catch (error) {
    const problem = (found ? describeFileError : describeNewFileError)(error);
    throw envFileError(`cannot write ${file}: ${problem}${NOTHING_SENT}`, error);
  }
}

const envFileError = (message: string, cause?: unknown): ClaimsError =>
  usageError("cannot_write", message, {
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
