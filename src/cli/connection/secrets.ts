import type { Buffer } from "node:buffer";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type Credential, secretOf } from "../../client/auth/credential.ts";
import { credentialError } from "../../domain/errors.ts";
import { fingerprint } from "../../domain/webhooks/fingerprint.ts";
import type { Context } from "../context.ts";
import { describeFileError } from "../files/file-errors.ts";
import { readSmallFile, readSmallStream, requirePipedStdin } from "../files/input-file.ts";
import { parseSecretFile } from "../framework/values.ts";
import { printMessage } from "../output/stderr.ts";

/** Visible ASCII without spaces: valid in a header, in a line of a file and in a variable. */
export const isSecretValue = (value: string): boolean => /^[\x21-\x7e]+$/.test(value);

export function validateSecret(value: string, name: string): string {
  if (value === "")
    throw credentialError("invalid_secret", `${name} is empty`, {
      hint: "put the secret there, or leave it out",
    });
  const isQuoted = /^(["']).*\1$/.test(value);
  if (isSecretValue(value) && !isQuoted) return value;
  const problem = isQuoted ? "has quotes around it" : "is not a single word of visible ASCII characters";
  throw credentialError("invalid_secret", `${name} ${problem}`, {
    hint: value.includes("\0")
      ? "save it as UTF-8; PowerShell's > writes UTF-16"
      : "look for a line break, a space or quotes around it",
  });
}

export async function readSecretFile(context: Context, file: string, name: string): Promise<string> {
  const bytes = await readSecretBytes(context, file, name);
  return validateSecret(bytes.toString("utf8").trim(), name);
}

/** The secret in the file of an option; `-` is piped stdin. */
export async function readSecretOption(context: Context, file: string, flag: string): Promise<string> {
  if (file !== "-") return readSecretFile(context, file, flag);
  const stdin = requirePipedStdin(context, "pipe the secret in, or name a file");
  return validateSecret((await readSmallStream(stdin)).toString("utf8").trim(), "stdin");
}

/** Reads a secret file with the white space around the secret. Warns if other users can read it. */
export async function readSecretBytes(context: Context, file: string, name: string): Promise<Buffer> {
  const path = resolve(context.cwd, parseSecretFile(file, name));
  try {
    const bytes = await readSmallFile(path);
    if (context.platform !== "win32" && (await stat(path)).mode & 0o077)
      printMessage(context, `warning: other users can read ${path} (${name}); restrict it with chmod 600`);
    return bytes;
  } catch (cause) {
    throw credentialError("secret_unreadable", `${name}: cannot read ${path}: ${describeFileError(cause)}`, {
      hint: "name a file that holds only the secret",
      cause,
    });
  }
}

export const describeCredentialKind = (kind: Credential["kind"]): string =>
  kind === "api_key" ? "API key" : "OAuth client";

export const fingerprintCredential = (credential: Credential): string => fingerprint(secretOf(credential));
