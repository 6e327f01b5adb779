import type { Buffer } from "node:buffer";
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type Credential, secretOf } from "../../client/auth/credential.ts";
import { credentialError } from "../../domain/errors.ts";
import { fingerprint as secretFingerprint } from "../../domain/webhooks/fingerprint.ts";
import type { Context } from "../context.ts";
import { describeFileError } from "../files/file-errors.ts";
import { printMessage } from "../output/stderr.ts";
import type { Environment } from "./base-url.ts";

/** One word of visible ASCII: it survives being a header, a line of a file and a variable. */
export const isSecretValue = (value: string): boolean => /^[\x21-\x7e]+$/.test(value);

/** A secret must survive being a header. `name` says where it came from. */
export function validateSecret(value: string, name: string): string {
  if (isSecretValue(value)) return value;
  throw credentialError("malformed_secret", `${name} holds no single word of visible ASCII characters`, {
    hint: "look for a line break, a space or quotes around it",
  });
}

/** The secret that a file holds and nothing else; a file that others can read is warned about. */
export async function readSecretFile(context: Context, file: string, name: string): Promise<string> {
  const bytes = await readSecretBytes(context, file, name);
  return validateSecret(bytes.toString("utf8").trim(), name);
}

/** The same byte for byte, for whoever has to see what stands around it. */
export async function readSecretBytes(context: Context, file: string, name: string): Promise<Buffer> {
  const path = resolve(context.cwd, file);
  try {
    const bytes = await readFile(path);
    if (context.platform !== "win32" && (await stat(path)).mode & 0o077)
      printMessage(context, `warning: others can read ${file} (${name}); chmod 600 keeps it to you`);
    return bytes;
  } catch (error) {
    throw credentialError("secret_unreadable", `${name}: cannot read ${file}: ${describeFileError(error)}`, {
      hint: "name a file that holds nothing but the secret",
      cause: error,
    });
  }
}

/** OAuth clients exist in the sandbox environment alone (interface §5.3). */
export function checkOAuthEnvironment(credential: Credential, environment: Environment): void {
  if (credential.kind !== "oauth_client" || environment !== "production") return;
  throw credentialError("oauth_is_sandbox_only", "OAuth client credentials work in the sandbox only", {
    hint: "production takes an API key: set CLAIMS_API_KEY, or log in without --client-id",
  });
}

/** What a credential is, for a person. */
export const describeCredentialKind = (kind: Credential["kind"]): string =>
  kind === "api_key" ? "API key" : "OAuth client";

/** What tells one credential from another without telling it. */
export const fingerprintCredential = (credential: Credential): string =>
  secretFingerprint(secretOf(credential));
