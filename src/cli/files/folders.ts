import { mkdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type ClaimsError, usageError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import { describeNewFileError } from "./file-errors.ts";

/** Settings of a person; what this machine remembers (journal, sandbox locators, tokens); what could be had again. */
type FolderKind = "config" | "state" | "cache";

type FolderContext = Pick<Context, "cwd" | "env" | "homeDirectory" | "platform">;

/** The platform's own folder for that; with `CLAIMS_CONFIG_DIR`, that one for settings and two below it. */
export function resolveFolder(
  { cwd, env, homeDirectory, platform }: FolderContext,
  folder: FolderKind,
): string {
  if (env.CLAIMS_CONFIG_DIR) {
    return resolve(cwd, env.CLAIMS_CONFIG_DIR, ...(folder === "config" ? [] : [folder]));
  }
  const home = (...names: string[]) => join(homeDirectory, ...names);
  if (platform === "darwin") {
    const support = home("Library", "Application Support", "claims", "state");
    const preferences = home("Library", "Preferences", "claims");
    return { config: preferences, state: support, cache: home("Library", "Caches", "claims") }[folder];
  }
  if (platform === "win32") {
    const roaming = env.APPDATA || home("AppData", "Roaming");
    const local = env.LOCALAPPDATA || home("AppData", "Local");
    return join(folder === "config" ? roaming : local, "claims", folder);
  }
  const xdg = {
    config: env.XDG_CONFIG_HOME || home(".config"),
    state: env.XDG_STATE_HOME || home(".local", "state"),
    cache: env.XDG_CACHE_HOME || home(".cache"),
  };
  return join(xdg[folder], "claims");
}

export const resolveStateFolder = (place: FolderContext): string => resolveFolder(place, "state");

/** Makes it where it is missing, for its owner alone. */
export const createStateFolder = (place: FolderContext): Promise<void> =>
  createFolder(resolveStateFolder(place), 0o700);

/**
 * Makes a folder, and those above it, where they are missing. Node's own `recursive` never ends, and takes a whole core,
 * where a folder that is there can have none in it, as `/proc`.
 */
export async function createFolder(path: string, mode = 0o777): Promise<void> {
  if (await isFolder(path)) return;
  if (dirname(path) !== path) await createFolder(dirname(path), mode);
  await mkdir(path, { mode }).catch(async (error) => {
    // Somebody else may have made it in between.
    if (!(await isFolder(path))) throw error;
  });
}

export const toTemporaryFolderError = (folder: string, cause: unknown): ClaimsError =>
  usageError("cannot_write", `cannot write in ${folder}: ${describeNewFileError(cause)}`, {
    hint: "make room or make it writable, or set TMPDIR to another folder",
    cause,
  });

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() ?? false;
}
