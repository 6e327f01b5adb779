import { constants, type FileHandle, lstat, open, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type Conf from "conf";
import type { Credential } from "../../client/auth/credential.ts";
import { ENVIRONMENTS, type Environment } from "../../domain/environments.ts";
import { ClaimsError, notFoundError, usageError } from "../../domain/errors.ts";
import { dropByteOrderMark, isRecord, parseJsonText } from "../../domain/json.ts";
import { nullable, object, oneOf, optional, recordOf, string, url, variant } from "../../domain/shape.ts";
import type { Context } from "../context.ts";
import { resolveTarget } from "../files/atomic-file.ts";
import { describeFileError, recover } from "../files/file-errors.ts";
import { withLock } from "../files/file-lock.ts";
import { createFolder, resolveFolder } from "../files/folders.ts";
import { findHomeOwner } from "../files/home-owner.ts";
import { parseName } from "../framework/values.ts";
import { printMessage } from "../output/stderr.ts";
import { inferEnvironment } from "./base-url.ts";

/** A credential and the service that it was stored for; it goes nowhere else (product.md §4). */
export type StoredCredential = Credential & { readonly baseUrl: string; readonly environment: Environment };

export interface Profile {
  readonly baseUrl: string;
  readonly environment: Environment;
  /** Absolute path of a certificate authority, PEM. */
  readonly caFile?: string;
  /** Absolute path of the mapping of the service. */
  readonly mapping?: string;
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
const EMPTY_CONFIG: Config = { version: CONFIG_VERSION, current: null, profiles: {} };

const service = { baseUrl: url, environment: oneOf(...ENVIRONMENTS) };

const configShape = object({
  version: oneOf(CONFIG_VERSION),
  current: nullable(string),
  sunsets: optional(recordOf(string)),
  profiles: recordOf(
    object({
      ...service,
      caFile: optional(string),
      mapping: optional(string),
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

/** Settings about a service stay only with their own base URL. @param changes an empty `mapping` removes it */
export function pointProfileAt(
  baseUrl: string,
  current: Profile | null,
  changes: {
    readonly environment?: Environment | undefined;
    readonly caFile?: string | undefined;
    readonly mapping?: string | undefined;
  },
): Profile {
  const { environment, caFile, mapping, ...rest } = current ?? {};
  const kept = current?.baseUrl === baseUrl ? { environment, caFile, mapping } : {};
  const trusted = changes.caFile ?? kept.caFile;
  const observed = changes.mapping ?? kept.mapping;
  return {
    ...rest,
    baseUrl,
    environment: changes.environment ?? kept.environment ?? inferEnvironment(baseUrl),
    ...(trusted !== undefined && { caFile: trusted }),
    ...(observed && { mapping: observed }),
  };
}

export const setProfile = (config: Config, name: string, profile: Profile): Config => ({
  ...config,
  profiles: { ...config.profiles, [name]: profile },
});

export const configPath = (context: Context): string => join(resolveFolder(context, "config"), "config.json");

/**
 * Empty without a file. Does not load conf, which takes longer than most commands. A file of another user could be a trap: what a
 * link names would be changed, and read. Dotfiles and mounted files are links of the user or of root.
 *
 * @throws ClaimsError `config_invalid`
 */
export async function readConfig(context: Context): Promise<Config> {
  const path = configPath(context);
  let file: FileHandle | null = null;
  try {
    await warnOfOpenFolder(context, dirname(path));
    file = await recover(open(path, constants.O_RDONLY | constants.O_NONBLOCK), null, "ENOENT");
    if (file === null) return EMPTY_CONFIG;
    await requireOwn(context, path, file);
    return parseConfig(await file.readFile("utf8"), path);
  } catch (error) {
    if (error instanceof ClaimsError) throw error;
    throw configInvalidError(`cannot read ${path}: ${describeFileError(error)}`, error);
  } finally {
    await file?.close();
  }
}

/** Under a lock. @throws ClaimsError `cannot_write`, and those of {@link readConfig}: an invalid file is not overwritten */
export async function updateConfig(context: Context, change: (config: Config) => Config): Promise<Config> {
  const path = configPath(context);
  try {
    await createFolder(resolveFolder(context, "config"), 0o700);
    return await withLock(context, path, async () => {
      const changed = change(await readConfig(context));
      const fault = configShape(changed);
      if (fault) throw new Error(`the profiles would be invalid: ${fault}`);
      const existing = await stat(path).catch(() => null);
      // A rename would replace a read-only file.
      if (existing && !(existing.mode & 0o200)) throw configWriteError(path, "it is read-only");
      if (existing && !(await isOwner(context, existing))) throw configWriteError(path, "it belongs to root");
      const conf = await openConf(context);
      conf.store = { ...changed };
      return changed;
    });
  } catch (error) {
    const cause = error instanceof ClaimsError && error.code === "cannot_lock" ? error.cause : error;
    throw (cause as NodeJS.ErrnoException).syscall
      ? configWriteError(path, describeFileError(cause), cause)
      : error;
  }
}

/** Reads the file. Assigning its `store` writes it. */
async function openConf(context: Context): Promise<Conf<Record<string, unknown>>> {
  const { default: Conf } = await import("conf");
  // A rename would replace a link.
  const target = await resolveTarget(configPath(context));
  return new Conf<Record<string, unknown>>({
    cwd: dirname(target),
    configName: basename(target),
    fileExtension: "",
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
    // The errors of conf quote the file, which has secrets.
    deserialize: (text) => ({ ...parseConfig(text, configPath(context)) }),
  });
}

/** No error has the message of JSON.parse, which quotes the text with its secrets. */
function parseConfig(text: string, path: string): Config {
  const value = parseJsonText(dropByteOrderMark(text));
  if (value === undefined) throw configInvalidError(`${path} is not JSON`);
  if (isRecord(value) && Number(value.version) > CONFIG_VERSION) {
    const message = `${path} has format ${value.version}, which is newer than the format ${CONFIG_VERSION} of this version`;
    throw usageError("config_invalid", message, {
      hint: "update claims-toolkit, or set CLAIMS_CONFIG_DIR to another folder",
    });
  }
  const fault = configShape(value);
  if (fault) throw configInvalidError(`${path} is invalid: ${fault}`);
  return value as Config;
}

async function requireOwn(context: Context, path: string, file: FileHandle): Promise<void> {
  const [found, entry] = [await file.stat(), await lstat(path)];
  if (!found.isFile() && !found.isDirectory()) throw new Error("it is a pipe or a device, not a file");
  const isOwn = await isOwner(context, found);
  for (const { uid } of [found, entry])
    if (uid !== 0 && !(await isOwner(context, { uid })))
      throw new Error(
        `${entry.isSymbolicLink() ? "it is a link, and it or its target" : "it"} belongs to another user`,
      );
  const isTrusted = (isOwn && !entry.isSymbolicLink()) || (found.mode & 0o022) === 0;
  if (!isTrusted)
    throw new Error("it is a link or root's file, and others can write it; restrict it with chmod go-w");
  if (found.isFile() && isOwn) await restrictPermissions(context, path, file, found.mode);
}

/** Root acts for the user whose HOME it has, as with `sudo`. */
async function isOwner(context: Context, { uid }: { readonly uid: number }): Promise<boolean> {
  const { userId } = context.processes;
  if (userId === undefined || uid === userId) return true;
  return userId === 0 && uid === (await findHomeOwner(context))?.uid;
}

/** The folders of the runs that have the warning. */
const warned = new WeakSet<Context["processes"]>();

async function warnOfOpenFolder(context: Context, folder: string): Promise<void> {
  const { platform, processes } = context;
  const found = platform === "win32" || warned.has(processes) ? null : await stat(folder).catch(() => null);
  if (!found || (found.mode & 0o022) === 0) return;
  warned.add(processes);
  printMessage(context, `warning: other users can write to ${folder}; restrict it with chmod 700`);
}

/** A copied or restored file may have other permissions. */
async function restrictPermissions(context: Context, path: string, file: FileHandle, mode: number) {
  if (context.platform === "win32" || (mode & 0o077) === 0) return;
  try {
    await file.chmod(mode & 0o700);
    printMessage(context, `warning: other users could read ${path}; restricted it to you`);
  } catch (error) {
    const problem = describeFileError(error);
    printMessage(context, `warning: other users can read ${path}; cannot restrict it: ${problem}`);
  }
}

const configInvalidError = (message: string, cause?: unknown): ClaimsError =>
  usageError("config_invalid", message, {
    hint: "repair it, or move it away and log in again; a file or the target of a link must be yours or root's. Nothing was changed",
    cause,
  });

const configWriteError = (path: string, problem: string, cause?: unknown): ClaimsError =>
  usageError("cannot_write", `cannot write ${path}: ${problem}; nothing was changed`, {
    hint: "make it writable, or set CLAIMS_CONFIG_DIR to another folder",
    cause,
  });
