import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import type { Credential } from "../../client/auth/credential.ts";
import { credentialError, usageError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import { describeFileError } from "../files/file-errors.ts";
import type { GlobalOptions } from "../framework/options.ts";
import { type Environment, isEnvironment, normalizeBaseUrl } from "./base-url.ts";
import { requireProfile } from "./config.ts";
import { readConfig } from "./config-file.ts";
import { readSecretFile, validateSecret } from "./secrets.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** A credential and what it was given or stored for; it is sent nowhere else (product.md §4). */
export interface ScopedCredential {
  readonly credential: Credential;
  readonly baseUrl?: string | undefined;
  readonly environment?: Environment | undefined;
}

/** One of the places that may say where the service is and as whom to speak to it. */
export interface SettingsSource {
  /** As messages name it. */
  readonly name: string;
  readonly profile?: string;
  /** In the form of `normalizeBaseUrl`. */
  readonly baseUrl?: string | undefined;
  readonly environment?: Environment | undefined;
  readonly caFile?: string | undefined;
  /** Looked for only where no source before has one. */
  credential(): Promise<ScopedCredential | null>;
}

/** A fact, and the name of the source that has stated it. */
export interface Setting<T> {
  readonly value: T;
  readonly source: string;
  readonly profile?: string | undefined;
}

/** The options that say where a service is and as whom to speak to it. */
export type ConnectionOptions = Partial<
  Pick<GlobalOptions, "baseUrl" | "environment" | "profile" | "dotenv" | "caFile" | "sandbox">
>;

/** The sources in their order, each opened when it is its turn: who has all answers need not ask the next. */
export function listSources(
  context: Context,
  options: ConnectionOptions,
  file: Variables,
): (() => Promise<SettingsSource | null>)[] {
  const { env } = context;
  const { profile, dotenv = "" } = options;
  const variable = file.CLAIMS_PROFILE || env.CLAIMS_PROFILE;
  return [
    async () => toFlagSource(options),
    async () => (profile === undefined ? null : readProfileSource(context, profile)),
    async () => toVariableSource(context, file, dotenv),
    async () => toVariableSource(context, env, "the environment"),
    async () => (profile === undefined ? readProfileSource(context, variable || null) : null),
  ];
}

const toFlagSource = ({ baseUrl, environment, caFile }: ConnectionOptions): SettingsSource => ({
  name: "the command line",
  baseUrl: baseUrl && normalizeBaseUrl(baseUrl),
  environment,
  caFile,
  credential: async () => null,
});

/** @param name null for the current profile, which there need not be */
async function readProfileSource(context: Context, name: string | null): Promise<SettingsSource | null> {
  const config = await readConfig(context);
  const chosen = name ?? config.current;
  if (chosen === null) return null;
  const { credential, ...profile } = requireProfile(config, chosen);
  return {
    ...profile,
    name: `the profile "${chosen}"`,
    profile: chosen,
    async credential() {
      if (!credential) return null;
      const { baseUrl, environment, ...own } = credential;
      return { credential: own, baseUrl, environment };
    },
  };
}

function toVariableSource(context: Context, env: Variables, name: string): SettingsSource {
  const baseUrl = env.CLAIMS_BASE_URL ? normalizeBaseUrl(env.CLAIMS_BASE_URL) : undefined;
  const environment = readEnvironmentVariable(env);
  return {
    name,
    baseUrl,
    environment,
    async credential() {
      const credential = await readCredential(context, env);
      return credential && { credential, baseUrl, environment };
    },
  };
}

/** What `CLAIMS_ENVIRONMENT` says; undefined where it is not set. */
export function readEnvironmentVariable({ CLAIMS_ENVIRONMENT: value }: Variables): Environment | undefined {
  if (!value) return undefined;
  if (isEnvironment(value)) return value;
  throw usageError("invalid_environment", `CLAIMS_ENVIRONMENT is "${value}"`, {
    hint: "use sandbox or production",
  });
}

/** An API key wins over OAuth client credentials (product.md §4). */
async function readCredential(context: Context, env: Variables): Promise<Credential | null> {
  const key = await readSecret(context, env, "CLAIMS_API_KEY");
  if (key !== null) return { kind: "api_key", key };
  const clientId = env.CLAIMS_CLIENT_ID;
  const clientSecret = await readSecret(context, env, "CLAIMS_CLIENT_SECRET");
  if (!clientId && clientSecret === null) return null;
  if (clientId && clientSecret !== null) return { kind: "oauth_client", clientId, clientSecret };
  const missing = clientId ? "CLAIMS_CLIENT_SECRET (or CLAIMS_CLIENT_SECRET_FILE)" : "CLAIMS_CLIENT_ID";
  throw credentialError("incomplete_credential", `${missing} is not set`, {
    hint: "an OAuth client needs both its id and its secret",
  });
}

async function readSecret(context: Context, env: Variables, name: string): Promise<string | null> {
  const value = env[name];
  if (value) return validateSecret(value, name);
  const file = env[`${name}_FILE`];
  return file ? readSecretFile(context, file, `${name}_FILE`) : null;
}

/** What `--dotenv` gives: our variables and the proxies', nothing else that the file may hold. */
export async function readDotenv({ cwd }: Context, path: string | undefined): Promise<Variables> {
  if (path === undefined) return {};
  try {
    const all = Object.entries(parseEnv(await readFile(resolve(cwd, path), "utf8")));
    return Object.fromEntries(all.filter(([name]) => /^CLAIMS_|^(https?|no)_proxy$/i.test(name)));
  } catch (error) {
    const message = `--dotenv: cannot read ${path}: ${describeFileError(error)}`;
    throw usageError("dotenv_unreadable", message, {
      hint: "name a file with lines as in CLAIMS_BASE_URL=https://partners.example.com",
      cause: error,
    });
  }
}
