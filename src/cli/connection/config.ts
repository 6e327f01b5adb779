import type { Credential } from "../../client/auth/credential.ts";
import { notFoundError } from "../../domain/errors.ts";
import { isRecord } from "../../domain/json.ts";
import { type Environment, inferEnvironment, isEnvironment } from "./base-url.ts";

/** A credential, and for which service it was stored: it is sent nowhere else (product.md §4). */
export type StoredCredential = Credential & { readonly baseUrl: string; readonly environment: Environment };

/** A service by name. */
export interface Profile {
  /** In the form of `normalBaseUrl`. */
  readonly baseUrl: string;
  readonly environment: Environment;
  /** Absolute path of a certificate authority, PEM. */
  readonly caFile?: string;
  readonly credential?: StoredCredential;
  /** The signing secret of a webhook endpoint; it verifies and signs here, and is never sent. */
  readonly webhookSecret?: string;
}

/** What `config.json` holds. Fields that we do not know stay as they are. */
export interface Config {
  readonly version: typeof CONFIG_VERSION;
  /** The profile of commands that name none. */
  readonly current: string | null;
  readonly profiles: Readonly<Record<string, Profile>>;
  /** Alias → the date from which it is no longer used, YYYY-MM-DD. */
  readonly sunsets?: Readonly<Record<string, string>>;
}

/** The format that this program reads and writes. */
export const CONFIG_VERSION = 1;

export const EMPTY_CONFIG: Config = { version: CONFIG_VERSION, current: null, profiles: {} };

/** The profile of that name, if there is one. */
export const findProfile = ({ profiles }: Config, name: string): Profile | null =>
  Object.hasOwn(profiles, name) ? (profiles[name] ?? null) : null;

/** The same for a profile that there must be. */
export function requireProfile(config: Config, name: string): Profile {
  const profile = findProfile(config, name);
  if (profile) return profile;
  const names = Object.keys(config.profiles);
  throw notFoundError("unknown_profile", `there is no profile "${name}"`, {
    hint: names.length
      ? `there is ${names.join(", ")}`
      : `make one: \`claims auth login --profile ${name} --base-url URL\``,
  });
}

/**
 * A profile that is to lead to an address. What nobody says stays as it was; but the environment and the authority of
 * another address belong to that one.
 */
export function pointProfileAt(
  baseUrl: string,
  current: Profile | null,
  changes: { readonly environment?: Environment | undefined; readonly caFile?: string | undefined },
): Profile {
  const { environment, caFile, ...rest } = current ?? {};
  const kept = current?.baseUrl === baseUrl ? { environment, caFile } : {};
  const authority = changes.caFile ?? kept.caFile;
  return {
    ...rest,
    baseUrl,
    environment: changes.environment ?? kept.environment ?? inferEnvironment(baseUrl),
    ...(authority !== undefined && { caFile: authority }),
  };
}

export const setProfile = (config: Config, name: string, profile: Profile): Config => ({
  ...config,
  profiles: { ...config.profiles, [name]: profile },
});

/** What keeps a value from being a configuration of our version, with its place; null when nothing does. */
export function findConfigFault(value: unknown): string | null {
  if (!isRecord(value)) return "it is no JSON object";
  if (value.version !== CONFIG_VERSION) return "it has no version";
  if (value.current !== null && typeof value.current !== "string") return "current names no profile";
  if (!isRecord(value.profiles)) return "it has no profiles";
  const { sunsets = {} } = value;
  if (!isRecord(sunsets) || !Object.values(sunsets).every((date) => typeof date === "string"))
    return "sunsets has something that is no date";
  for (const [name, profile] of Object.entries(value.profiles)) {
    const fault = isRecord(profile) ? findProfileFault(profile) : "is no JSON object";
    if (fault) return `profiles.${name}: ${fault}`;
  }
  return null;
}

function findProfileFault(profile: Record<string, unknown>): string | null {
  const { caFile, credential, webhookSecret, ...service } = profile;
  const fault = findServiceFault(service);
  if (fault) return fault;
  if (caFile !== undefined && typeof caFile !== "string") return "caFile is no path";
  if (webhookSecret !== undefined && typeof webhookSecret !== "string") return "webhookSecret is no text";
  if (credential === undefined) return null;
  const inside = isRecord(credential) ? findCredentialFault(credential) : "is no JSON object";
  return inside && `credential: ${inside}`;
}

function findServiceFault({ baseUrl, environment }: Record<string, unknown>): string | null {
  if (typeof baseUrl !== "string" || !/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl))
    return "baseUrl is no http(s) URL";
  return isEnvironment(environment) ? null : "environment is neither sandbox nor production";
}

function findCredentialFault(credential: Record<string, unknown>): string | null {
  const { kind, key, clientId, clientSecret } = credential;
  const isKey = kind === "api_key" && typeof key === "string";
  const isClient =
    kind === "oauth_client" && typeof clientId === "string" && typeof clientSecret === "string";
  return isKey || isClient ? findServiceFault(credential) : "is neither an api_key nor an oauth_client";
}
