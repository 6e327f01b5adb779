import { join, resolve } from "node:path";
import type { Context } from "./context.ts";

/**
 * Where state (sandbox locators and their logs) lives: the platform's own folder, or `state` under
 * `CLAIMS_CONFIG_DIR`.
 */
export function stateFolder({
  cwd,
  env,
  homeDirectory,
  platform,
}: Pick<Context, "cwd" | "env" | "homeDirectory" | "platform">): string {
  if (env.CLAIMS_CONFIG_DIR) return resolve(cwd, env.CLAIMS_CONFIG_DIR, "state");
  if (platform === "darwin") return join(homeDirectory, "Library", "Application Support", "claims", "state");
  if (platform === "win32")
    return join(env.LOCALAPPDATA || join(homeDirectory, "AppData", "Local"), "claims", "state");
  return join(env.XDG_STATE_HOME || join(homeDirectory, ".local", "state"), "claims");
}
