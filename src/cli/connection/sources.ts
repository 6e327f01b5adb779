import { type Buffer, isUtf8 } from "node:buffer";
import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parseEnv } from "node:util";
import type { Credential } from "../../client/auth/credential.ts";
import type { ProxySettings } from "../../client/http/proxy.ts";
import { isUtf16 } from "../../domain/entries/csv/file-kind.ts";
import type { Environment } from "../../domain/environments.ts";
import { credentialError, usageError } from "../../domain/errors.ts";
import { dropByteOrderMark } from "../../domain/json.ts";
import type { Context } from "../context.ts";
import { describeFileError } from "../files/file-errors.ts";
import { readSmallFile } from "../files/input-file.ts";
import type { GlobalOptions } from "../framework/options.ts";
import { normalizeBaseUrl } from "./base-url.ts";
import { type Config, readConfig, requireProfile } from "./config.ts";
import { chooseSandboxName } from "./locator.ts";
import { readSecretFile, validateSecret } from "./secrets.ts";

/** A credential and the service that it was given or stored for; it goes nowhere else (product.md §4). */
export interface ScopedCredential {
  readonly credential: Credential;
  readonly baseUrl?: string | undefined;
  /** In place of a base URL. */
  readonly sandboxName?: string | undefined;
  readonly environment?: Environment | undefined;
}

export interface Setting<T> {
  readonly value: T;
  readonly source: string;
  readonly profile?: string | undefined;
}

export interface Source {
  /** The name that messages have for it. */
  readonly name: string;
  readonly profile?: string;
  readonly baseUrl?: string | undefined;
  /** A running sandbox, in place of a base URL. */
  readonly sandboxName?: string | undefined;
  readonly environment?: Environment | undefined;
  readonly caFile?: string | undefined;
  readonly mapping?: string | undefined;
  readonly readCredential?: () => Promise<ScopedCredential | null>;
}

export type ConnectionOptions = Partial<
  Pick<
    GlobalOptions,
    "baseUrl" | "environment" | "profile" | "dotenv" | "caFile" | "mapping" | "sandbox" | "sandboxName"
  >
>;

/** The sources in their order of precedence (product.md §3). Each one is read when the caller asks for it. */
export async function* readSources(
  context: Context,
  { baseUrl, environment, caFile, mapping, profile, dotenv = "", sandboxName }: ConnectionOptions,
  file: Variables,
): AsyncGenerator<Source, void> {
  yield {
    name: "the command line",
    baseUrl: baseUrl && normalizeBaseUrl(baseUrl),
    sandboxName,
    environment,
    caFile,
    mapping,
  };
  if (profile !== undefined) yield toProfileSource(await readConfig(context), profile);
  yield readVariables(context, file, dotenv);
  yield readVariables(context, context.env, "the environment");
  if (profile !== undefined) return;
  const config = await readConfig(context);
  const selected = file.CLAIMS_PROFILE || context.env.CLAIMS_PROFILE || config.current;
  if (selected !== null) yield toProfileSource(config, selected);
}

function toProfileSource(config: Config, name: string): Source {
  const { credential: stored, ...profile } = requireProfile(config, name);
  const source = { ...profile, name: `the profile "${name}"`, profile: name };
  if (!stored) return source;
  const { baseUrl, environment, ...credential } = stored;
  return { ...source, readCredential: async () => ({ credential, baseUrl, environment }) };
}

function readVariables(context: Context, variables: Variables, name: string): Source {
  const { CLAIMS_BASE_URL: url } = variables;
  const baseUrl = url ? normalizeBaseUrl(url, "CLAIMS_BASE_URL") : undefined;
  const sandboxName = variables.CLAIMS_SANDBOX_NAME ? chooseSandboxName({ env: variables }) : undefined;
  const environment = readEnvironmentVariable(variables);
  return {
    name,
    baseUrl,
    sandboxName,
    environment,
    mapping: variables.CLAIMS_MAPPING || undefined,
    async readCredential() {
      const credential = await readCredentialVariables(context, variables);
      return credential && { credential, baseUrl, sandboxName, environment };
    },
  };
}

export function readEnvironmentVariable({ CLAIMS_ENVIRONMENT: value }: Variables): Environment | undefined {
  if (!value) return undefined;
  if (value === "sandbox" || value === "production") return value;
  throw usageError("option_invalid", `CLAIMS_ENVIRONMENT is "${value}"`, {
    option: "CLAIMS_ENVIRONMENT",
    hint: "use sandbox or production",
  });
}

/** An API key takes precedence over an OAuth client (product.md §4). */
async function readCredentialVariables(context: Context, variables: Variables): Promise<Credential | null> {
  const key = await readSecretVariable(context, variables, "CLAIMS_API_KEY");
  if (key !== null) return { kind: "api_key", key };
  const clientId = variables.CLAIMS_CLIENT_ID;
  const clientSecret = await readSecretVariable(context, variables, "CLAIMS_CLIENT_SECRET");
  if (!clientId && clientSecret === null) return null;
  if (clientId && clientSecret !== null) return { kind: "oauth_client", clientId, clientSecret };
  const missing = clientId ? "CLAIMS_CLIENT_SECRET (or CLAIMS_CLIENT_SECRET_FILE)" : "CLAIMS_CLIENT_ID";
  throw credentialError("no_credential", `${missing} is not set`, {
    hint: "set both the id and the secret of the OAuth client",
  });
}

async function readSecretVariable(context: Context, variables: Variables, name: string) {
  const value = variables[name];
  if (value) return validateSecret(value, name);
  const file = variables[`${name}_FILE`];
  return file ? readSecretFile(context, file, `${name}_FILE`) : null;
}

/** Reads `--dotenv`: our variables and those of the proxies, nothing else in the file. */
export async function readDotenv({ cwd }: Context, given: string | undefined): Promise<Variables> {
  if (given === undefined) return {};
  const path = resolve(cwd, given);
  const bytes = await readSmallFile(path).catch((cause: unknown) => {
    throw dotenvError(`--dotenv: cannot read ${path}: ${describeFileError(cause)}`, DOTENV_HINT, cause);
  });
  const all = Object.entries(parseEnv(decodeDotenv(bytes, path)));
  const own = all.filter(([name]) => /^CLAIMS_|^(https?|no)_proxy$/i.test(name));
  // Without them, the command would call another service than the one that the file was named for.
  if (own.length === 0) throw dotenvError(`--dotenv: ${path} sets no CLAIMS_ variable`, DOTENV_HINT);
  // Relative to the file, unless it is a pipe.
  const folder = (await stat(path)).isFile() ? dirname(path) : cwd;
  const isPath = ([name, value = ""]: (typeof own)[number]) => /_(FILE|MAPPING)$/.test(name) && value !== "";
  return Object.fromEntries(
    own.map((each) => (isPath(each) ? [each[0], resolve(folder, each[1] ?? "")] : each)),
  );
}

function decodeDotenv(bytes: Buffer, path: string): string {
  const hint = "save it as UTF-8; PowerShell's > writes UTF-16";
  if (bytes.length > 0 && isUtf16(bytes)) throw dotenvError(`--dotenv: ${path} is UTF-16 or UTF-32`, hint);
  if (!isUtf8(bytes) || bytes.includes(0)) throw dotenvError(`--dotenv: ${path} is not UTF-8 text`, hint);
  return dropByteOrderMark(bytes.toString("utf8"));
}

const DOTENV_HINT = "name a file with lines such as CLAIMS_BASE_URL=https://partners.example.com";

const dotenvError = (message: string, hint: string, cause?: unknown) =>
  usageError("cannot_read", message, { hint, cause });

type Variables = Readonly<Record<string, string | undefined>>;

/** The first set of variables that names a proxy wins. Lower-case names win, as in curl. */
export const readProxySettings = (...environments: readonly Variables[]): ProxySettings => {
  const find = (name: string) =>
    environments.map((env) => env[name.toLowerCase()] || env[name]).find(Boolean);
  return { http: find("HTTP_PROXY"), https: find("HTTPS_PROXY"), noProxy: find("NO_PROXY") };
};
