import { type Buffer, isUtf8 } from "node:buffer";
import { credentialError, usageError } from "../../../domain/errors.ts";
import { type CandidateSecret, trimAscii } from "../../../domain/webhooks/explain/secrets.ts";
import { findSelectedProfile, readConfig, requireProfile } from "../../connection/config.ts";
import { readSecretBytes, validateSecret } from "../../connection/secrets.ts";
import { readDotenv } from "../../connection/sources.ts";
import type { Context } from "../../context.ts";
import { readSmallStream, requirePipedStdin } from "../../files/input-file.ts";
import { printMessage } from "../../output/stderr.ts";
import { decompress } from "./input-formats/containers.ts";
import type { SecretOptions } from "./options.ts";
import type { CandidateSecretFile, VerifyOptions } from "./verify/verify.ts";

type VerificationOptions = SecretOptions & Pick<VerifyOptions, "candidate" | "secretPrefix" | "tolerance">;

export interface SigningSecret {
  /** A file, stdin, a variable or a profile. */
  readonly source: string;
  readonly secret: string;
}

/** Exactly as stored: a receiver can use white space as part of the key, which is a cause to report. */
export async function readSecrets(
  context: Context,
  { secretFile = [], dotenv, profile }: SecretOptions,
): Promise<readonly SigningSecret[]> {
  const variables = await readDotenv(context, dotenv);
  const given: SigningSecret[] = [];
  for (const file of secretFile) given.push(await readFromFile(context, file, "--secret-file"));
  if (given.length > 0) return given;
  for (const each of [variables, context.env]) {
    const { CLAIMS_WEBHOOK_SECRET: secret, CLAIMS_WEBHOOK_SECRET_FILE: file } = each;
    if (secret) return [{ source: "CLAIMS_WEBHOOK_SECRET", secret }];
    if (file) return [await readFromFile(context, file, "CLAIMS_WEBHOOK_SECRET_FILE")];
  }
  return readFromProfile(context, profile);
}

async function requireSecrets(
  context: Context,
  options: SecretOptions,
): Promise<readonly [SigningSecret, ...SigningSecret[]]> {
  const [first, ...others] = (await readSecrets(context, options)).map((given) =>
    removeLineEnd(context, given),
  );
  if (first) return [first, ...others];
  throw credentialError("no_secret", "no signing secret configured", {
    hint: "give --secret-file (- for stdin) or CLAIMS_WEBHOOK_SECRET, or store it with `claims profiles set`; it is the signingSecret of the endpoint, and `claims sandbox env` prints that of the sandbox's own",
  });
}

/** What `verify` and `triage` verify deliveries with. */
export async function readVerification(context: Context, options: VerificationOptions) {
  const { candidate = [], secretPrefix, tolerance } = options;
  const secrets = (await requireSecrets(context, options)).map(({ secret }) => secret);
  const candidateSecrets = await readCandidateSecrets(context, candidate);
  const toleranceSeconds = tolerance === undefined ? undefined : tolerance / 1000;
  return { secrets, candidateSecrets, secretPrefix, toleranceSeconds, decompress };
}

/** The line end of a text file is no part of the secret. A receiver that reads the file whole has it in its key. */
function removeLineEnd(context: Context, { source, secret }: SigningSecret): SigningSecret {
  const bare = secret.replace(/(?<=\S)\r?\n$/, "");
  if (bare !== secret)
    printMessage(
      context,
      `${source} ends with a line end, which is not taken for a part of the secret; a program that reads the file as it is has another key`,
    );
  return { source, secret: bare };
}

export async function requireSingleSecret(context: Context, options: SecretOptions): Promise<string> {
  const [first, ...others] = await requireSecrets(context, options);
  if (others.length === 0) return requireCleanSecret(first);
  throw usageError("option_conflict", `${others.length + 1} secrets given, expected one to sign with`, {
    hint: "give --secret-file once",
  });
}

/** The secret in the form in which a profile stores it: white space, quotes and NUL bytes would be part of the key. */
export function requireCleanSecret({ source, secret }: SigningSecret): string {
  if (secret.trim() === secret) return validateSecret(secret, source);
  const found = trimAscii(secret) === secret ? "invisible characters" : "white space";
  const problem = `has ${found} around the secret, which would be part of the key`;
  throw credentialError("invalid_secret", `${source} ${problem}`, {
    hint: "store the secret without a line end: printf %s, not echo",
  });
}

/** Stdin can be read once, so only one file can be `-`. */
export function refuseStdinConflict(files: readonly (string | undefined)[]): void {
  if (files.filter((file) => file === "-").length > 1)
    throw usageError("option_conflict", "two options read stdin", { hint: "name a file for one of them" });
}

/** Needs no check of the service's URL: a signing secret is never sent. */
async function readFromProfile(context: Context, named: string | undefined) {
  const config = await readConfig(context);
  const name = named ?? findSelectedProfile(context, config);
  const secret = name === null ? undefined : requireProfile(config, name).webhookSecret;
  return secret === undefined ? [] : [{ source: `profile ${name}`, secret }];
}

async function readFromFile(context: Context, file: string, option: string): Promise<SigningSecret> {
  const source = file === "-" ? "stdin" : file;
  const bytes = file === "-" ? await readStdin(context) : await readSecretBytes(context, file, option);
  if (isUtf8(bytes)) return { source, secret: bytes.toString("utf8") };
  throw credentialError("invalid_secret", `${source} is not UTF-8 text`, {
    hint: "store the secret as plain text; PowerShell's > writes UTF-16",
  });
}

const readStdin = (context: Context): Promise<Buffer> =>
  readSmallStream(
    requirePipedStdin(context, "pipe it in, or give --secret-file", "the secret comes from stdin"),
  );

export async function readCandidateSecrets(context: Context, files: readonly CandidateSecretFile[]) {
  const { CLAIMS_API_KEY: apiKey, CLAIMS_CLIENT_SECRET: clientSecret } = context.env;
  const candidates: CandidateSecret[] = [];
  for (const { kind, file } of files) {
    const { secret } = await readFromFile(context, file, "--candidate");
    candidates.push({ kind, secret: secret.trim() });
  }
  if (apiKey) candidates.push({ kind: "api_key", secret: apiKey });
  if (clientSecret) candidates.push({ kind: "client_secret", secret: clientSecret });
  return candidates;
}
