import { mkdir, stat } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { type ClaimsError, usageError } from "../../domain/errors.ts";
import { quoteValue } from "../../domain/json.ts";
import type { Context } from "../context.ts";
import { cannotWriteError, describeNewFileError } from "./file-errors.ts";

/** `config` has the user's settings, `state` what must not get lost (write log, locators). */
type FolderKind = "config" | "state";

type FolderContext = Pick<Context, "env" | "homeDirectory" | "platform">;

/** `CLAIMS_CONFIG_DIR` is the folder of the configuration, and has a subfolder for the state. */
export function resolveFolder({ env, homeDirectory, platform }: FolderContext, kind: FolderKind) {
  if (env.CLAIMS_CONFIG_DIR) {
    requireAbsolute(env.CLAIMS_CONFIG_DIR);
    return join(env.CLAIMS_CONFIG_DIR, ...(kind === "config" ? [] : [kind]));
  }
  const home = (...names: string[]) => join(homeDirectory, ...names);
  if (platform === "darwin") {
    return {
      config: home("Library", "Preferences", "claims"),
      state: home("Library", "Application Support", "claims", "state"),
    }[kind];
  }
  if (platform === "win32") {
    const roaming = env.APPDATA || home("AppData", "Roaming");
    const local = env.LOCALAPPDATA || home("AppData", "Local");
    return join(kind === "config" ? roaming : local, "claims", kind);
  }
  const xdg = {
    config: absolutePath(env.XDG_CONFIG_HOME) ?? home(".config"),
    state: absolutePath(env.XDG_STATE_HOME) ?? home(".local", "state"),
  };
  return join(xdg[kind], "claims");
}

/** A write log in each working folder would not know what was sent from another one. @throws ClaimsError `option_invalid` */
function requireAbsolute(path: string): void {
  if (isAbsolute(path)) return;
  throw usageError("option_invalid", `CLAIMS_CONFIG_DIR is not an absolute path (got ${quoteValue(path)})`, {
    option: "CLAIMS_CONFIG_DIR",
    hint: "write the whole path; only a shell replaces ~ and $HOME",
  });
}

/** The XDG Base Directory Specification ignores a relative path: it would be another folder in each working folder. */
const absolutePath = (path = ""): string | null => (isAbsolute(path) ? path : null);

export const resolveStateFolder = (context: FolderContext): string => resolveFolder(context, "state");

export const createStateFolder = (context: FolderContext): Promise<void> =>
  createFolder(resolveStateFolder(context), 0o700);

/** With `recursive`, Node loops forever in a folder that cannot have children, such as `/proc`. */
export async function createFolder(path: string, mode = 0o777): Promise<void> {
  if (await isFolder(path)) return;
  if (dirname(path) !== path) await createFolder(dirname(path), mode);
  await mkdir(path, { mode }).catch(async (error) => {
    // Another process may have created it.
    if (!(await isFolder(path))) throw error;
  });
}

export const toTemporaryFolderError = (folder: string, cause: unknown): ClaimsError =>
  cannotWriteError(`cannot write in ${folder}: ${describeNewFileError(cause)}`, {
    hint: "make room or make it writable, or set TMPDIR to another folder",
    cause,
  });

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() ?? false;
}
