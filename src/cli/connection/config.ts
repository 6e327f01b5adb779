import type { Credential } from "../../client/auth/credential.ts";
import { ENVIRONMENTS, type Environment } from "../../domain/environments.ts";
import { notFoundError } from "../../domain/errors.ts";
import { nullable, object, oneOf, optional, recordOf, string, url, variant } from "../../domain/shape.ts";
import type { Context } from "../context.ts";
import { parseName } from "../framework/values.ts";
import { inferEnvironment } from "./base-url.ts";

/** A credential and the service that it was stored for; it goes nowhere else (product.md §4). */
export type StoredCredential = Credential & { readonly baseUrl: string; readonly environment: Environment };

export interface Profile {
  readonly baseUrl: string;
  readonly environment: Environment;
  /** Absolute path of a certificate authority, PEM. */
  readonly caFile?: string;
  /** Absolute path of what `claims contract learn` recorded of the service. */
  readonly like?: string;
  readonly credential?: StoredCredential;
  /** The signing secret of a webhook endpoint. It verifies and signs here, and is never sent. */
  readonly webhookSecret?: string;
}

export interface Config {
  readonly version: typeof CONFIG_VERSION;
  readonly current: string | null;
  readonly profiles: Readonly<Record<string, Profile>>;
  /** Alias → its sunset date, YYYY-MM-DD. */
  readonly sunsets?: Readonly<Record<string, string>>;
}

export const CONFIG_VERSION = 1;
export const EMPTY_CONFIG: Config = { version: CONFIG_VERSION, current: null, profiles: {} };

const service = { baseUrl: url, environment: oneOf(...ENVIRONMENTS) };

export const configShape = object({
  version: oneOf(CONFIG_VERSION),
  current: nullable(string),
  sunsets: optional(recordOf(string)),
  profiles: recordOf(
    object({
      ...service,
      caFile: optional(string),
      like: optional(string),
      webhookSecret: optional(string),
      credential: optional(
        variant("kind", {
          api_key: object({ ...service, key: string }),
          oauth_client: object({ ...service, clientId: string, clientSecret: string }),
        }),
      ),
    }),
  ),
});

export const findProfile = ({ profiles }: Config, name: string): Profile | null =>
  Object.hasOwn(profiles, name) ? (profiles[name] ?? null) : null;

export function requireProfile(config: Config, name: string): Profile {
  const profile = findProfile(config, name);
  if (profile) return profile;
  const names = Object.keys(config.profiles).join(", ");
  throw notFoundError("unknown_profile", `no profile "${name}"`, {
    hint: names
      ? `use one of ${names}`
      : `create one with \`claims auth login --profile ${name} --base-url URL\``,
  });
}

/** The profile of commands that name none: `CLAIMS_PROFILE`, or the current one. */
export const findSelectedProfile = ({ env }: Pick<Context, "env">, { current }: Config): string | null =>
  env.CLAIMS_PROFILE ? parseName(env.CLAIMS_PROFILE, "a profile") : current;

export function requireSelectedProfile(context: Context, config: Config): string {
  const name = findSelectedProfile(context, config);
  if (name !== null) return name;
  throw notFoundError("unknown_profile", "no profile is named, and none is current", {
    hint: "name one: `claims profiles list` shows them, `claims auth login` creates one",
  });
}

/**
 * A profile with another base URL. Settings that the changes leave out stay, but those about a service stay only with their
 * own base URL.
 * @param changes an empty `like` removes it
 */
export function pointProfileAt(
  baseUrl: string,
  current: Profile | null,
  changes: {
    readonly environment?: Environment | undefined;
    readonly caFile?: string | undefined;
    readonly like?: string | undefined;
  },
): Profile {
  const { environment, caFile, like, ...rest } = current ?? {};
  const kept = current?.baseUrl === baseUrl ? { environment, caFile, like } : {};
  const trusted = changes.caFile ?? kept.caFile;
  const observed = changes.like ?? kept.like;
  return {
    ...rest,
    baseUrl,
    environment: changes.environment ?? kept.environment ?? inferEnvironment(baseUrl),
    ...(trusted !== undefined && { caFile: trusted }),
    ...(observed && { like: observed }),
  };
}

export const setProfile = (config: Config, name: string, profile: Profile): Config => ({
  ...config,
  profiles: { ...config.profiles, [name]: profile },
});
