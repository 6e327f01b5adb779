import { type Buffer, isUtf8 } from "node:buffer";
import { buffer } from "node:stream/consumers";
import { ClaimsError } from "../../../domain/errors.ts";
import type { CandidateSecret } from "../../../domain/webhooks/explain/secret-variants.ts";
import { findSelectedProfile, requireProfile } from "../../connection/config.ts";
import { readConfig } from "../../connection/config-file.ts";
import { readSecretBytes } from "../../connection/secrets.ts";
import { readDotenv } from "../../connection/sources.ts";
import type { Context } from "../../context.ts";
import { requirePipedStdin } from "../../files/input-file.ts";
import type { CandidateSecretFile, SecretOptions } from "./options.ts";

/** A secret, and where it came from. */
export interface SigningSecret {
  readonly source: string;
  readonly secret: string;
}

/**
 * The signing secrets as they are stored, byte for byte: white space that a receiver would take for a part of the key is
 * a cause to be named, and must not be trimmed away here.
 */
export async function readSecrets(
  context: Context,
  { secretFile = [], secretStdin, dotenv, profile }: SecretOptions,
): Promise<readonly SigningSecret[]> {
  const variables = await readDotenv(context, dotenv);
  const given: SigningSecret[] = [];
  for (const file of secretFile) given.push(await readFromFile(context, file, "--secret-file"));
  if (secretStdin) given.push(await readFromStdin(context));
  if (given.length > 0) return given;
  for (const source of [variables, context.env]) {
    const secret = await readFromVariables(context, source);
    if (secret) return [secret];
  }
  return readFromProfile(context, profile);
}

/** The same where there must be one. */
export async function requireSecrets(
  context: Context,
  options: SecretOptions,
): Promise<readonly [SigningSecret, ...SigningSecret[]]> {
  const [first, ...others] = await readSecrets(context, options);
  if (first) return [first, ...others];
  throw new ClaimsError("credential", "no_secret", "there is no signing secret", {
    hint: "give --secret-file, --secret-stdin or CLAIMS_WEBHOOK_SECRET, or store it with `claims profiles set`; it is the signingSecret of the endpoint",
  });
}

async function readFromVariables(context: Context, variables: Context["env"]): Promise<SigningSecret | null> {
  const { CLAIMS_WEBHOOK_SECRET: secret, CLAIMS_WEBHOOK_SECRET_FILE: file } = variables;
  if (secret) return { source: "CLAIMS_WEBHOOK_SECRET", secret };
  return file ? readFromFile(context, file, "CLAIMS_WEBHOOK_SECRET_FILE") : null;
}

/** It is never sent, so that it need not be held against the service that a command talks to. */
async function readFromProfile(
  context: Context,
  named: string | undefined,
): Promise<readonly SigningSecret[]> {
  const config = await readConfig(context);
  const name = named ?? findSelectedProfile(context, config);
  const secret = name === null ? undefined : requireProfile(config, name).webhookSecret;
  return secret === undefined ? [] : [{ source: `profile ${name}`, secret }];
}

async function readFromFile(context: Context, file: string, name: string): Promise<SigningSecret> {
  if (file === "-") return readFromStdin(context);
  return { source: file, secret: decodeSecret(await readSecretBytes(context, file, name), file) };
}

async function readFromStdin(context: Context): Promise<SigningSecret> {
  const stdin = requirePipedStdin(
    context,
    "pipe it in, or give --secret-file",
    "the secret comes from stdin",
  );
  return { source: "stdin", secret: decodeSecret(await buffer(stdin), "stdin") };
}

/** A key is the UTF-8 of its secret; another encoding comes from an editor or a shell. */
function decodeSecret(bytes: Buffer, source: string): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  throw new ClaimsError("credential", "invalid_secret", `${source} holds no UTF-8 text`, {
    hint: "store the secret as plain text; PowerShell's > writes UTF-16",
  });
}

/** Suspected secrets; the credentials of the environment are suspects without being asked. */
export async function readCandidateSecrets(
  context: Context,
  files: readonly CandidateSecretFile[],
): Promise<readonly CandidateSecret[]> {
  const { CLAIMS_API_KEY: key, CLAIMS_CLIENT_SECRET: clientSecret } = context.env;
  const suspects: CandidateSecret[] = [];
  for (const { kind: as, file } of files) {
    const { secret } = await readFromFile(context, file, "--suspect");
    suspects.push({ kind: as, secret: secret.trim() });
  }
  if (key) suspects.push({ kind: "api_key", secret: key });
  if (clientSecret) suspects.push({ kind: "client_secret", secret: clientSecret });
  return suspects;
}
