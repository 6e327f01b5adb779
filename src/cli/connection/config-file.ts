import { chmod, stat } from "node:fs/promises";
import { join } from "node:path";
import { ClaimsError, usageError } from "../../domain/errors.ts";
import { isRecord } from "../../domain/json.ts";
import type { Context } from "../context.ts";
import { describeFileError } from "../files/file-errors.ts";
import { withLock } from "../files/file-lock.ts";
import { createFolder, resolveFolder } from "../files/folders.ts";
import { refuseSpecialFile } from "../files/regular-file.ts";
import { printMessage } from "../output/stderr.ts";
import { CONFIG_VERSION, type Config, EMPTY_CONFIG, findConfigFault } from "./config.ts";

export const configPath = (context: Context): string => join(resolveFolder(context, "config"), "config.json");

/**
 * The configuration; an empty one where there is no file.
 *
 * @throws ClaimsError `config_broken`, `config_newer`
 */
export async function readConfig(context: Context): Promise<Config> {
  const path = configPath(context);
  const mode = await readMode(path);
  if (mode === null) return EMPTY_CONFIG;
  await restrictPermissions(context, path, mode);
  return (await openStore(context, path)).store;
}

/**
 * Reads, changes and writes the configuration, with no other command in between. What cannot be read is never
 * overwritten.
 *
 * @throws ClaimsError `config_unwritable` beside those of {@link readConfig}
 */
export async function updateConfig(context: Context, change: (config: Config) => Config): Promise<Config> {
  const path = configPath(context);
  try {
    await createFolder(resolveFolder(context, "config"), 0o700);
    return await withLock(context, path, async () => {
      const changed = change(await readConfig(context));
      // A rename would replace a file that somebody has made read-only.
      if (((await readMode(path)) ?? 0o200) & 0o200) (await openStore(context, path)).store = changed;
      else throw configWriteError(path, "it is read-only");
      return changed;
    });
  } catch (error) {
    const cause = error instanceof ClaimsError && error.code === "cannot_lock" ? error.cause : error;
    throw (cause as NodeJS.ErrnoException).syscall
      ? configWriteError(path, describeFileError(cause), cause)
      : error;
  }
}

interface ConfigStore {
  store: Config;
}

/** conf reads the file when it is opened, and writes it whole. */
async function openStore(context: Context, path: string): Promise<ConfigStore> {
  const { Conf } = await import("./conf.ts");
  try {
    return new Conf<Record<string, unknown>>({
      cwd: resolveFolder(context, "config"),
      configName: "config",
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      // Checked by hand: compiling a schema would take longer than most commands.
      deserialize: (text) => ({ ...parseConfig(text, path) }),
    }) as unknown as ConfigStore;
  } catch (error) {
    if (error instanceof ClaimsError) throw error;
    throw brokenConfigError(path, `cannot be read: ${describeFileError(error)}`, error);
  }
}

function parseConfig(text: string, path: string): Config {
  const value = decode(text, path);
  const version = isRecord(value) ? value.version : null;
  if (typeof version === "number" && version > CONFIG_VERSION) {
    const message = `${path} has format ${version}, and this program reads ${CONFIG_VERSION}: a newer one wrote it`;
    throw usageError("config_newer", message, {
      hint: "update claims-toolkit, or point CLAIMS_CONFIG_DIR at another folder",
    });
  }
  const fault = findConfigFault(value);
  if (fault) throw brokenConfigError(path, `is broken: ${fault}`);
  return value as Config;
}

/** What JSON.parse says is left out: it quotes the text, and the text holds secrets. */
function decode(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw brokenConfigError(path, "is broken: it is not JSON");
  }
}

async function readMode(path: string): Promise<number | null> {
  try {
    await refuseSpecialFile(path);
    return (await stat(path)).mode;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw brokenConfigError(path, `cannot be read: ${describeFileError(error)}`, error);
  }
}

/** Somebody may have copied or restored the file with other permissions. */
async function restrictPermissions(context: Context, path: string, mode: number): Promise<void> {
  if (context.platform === "win32" || (mode & 0o077) === 0) return;
  try {
    await chmod(path, mode & 0o700);
    printMessage(context, `warning: others could read ${path}; now only you can`);
  } catch (error) {
    printMessage(
      context,
      `warning: others can read ${path}, and that cannot be changed: ${describeFileError(error)}`,
    );
  }
}

const brokenConfigError = (path: string, what: string, cause?: unknown): ClaimsError =>
  usageError("config_broken", `${path} ${what}`, {
    hint: "mend it, or move it away and log in again; it was left as it is",
    cause,
  });

const configWriteError = (path: string, what: string, cause?: unknown): ClaimsError =>
  usageError("config_unwritable", `cannot write ${path}: ${what}; nothing was changed`, {
    hint: "make it writable, or point CLAIMS_CONFIG_DIR at another folder",
    cause,
  });
