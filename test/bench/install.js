// A package that only the benchmark runs. It is no dependency of the repository: it has a folder of its own.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./processes.js";

const CACHE = join(ROOT, "node_modules", ".cache", "bench");

/**
 * Installs a package from the package registry, once per checkout, and returns the folder of the modules.
 * @param {string} name with its version
 */
export async function installPackage(name) {
  const folder = join(CACHE, name);
  const modules = join(folder, "node_modules");
  // npm writes this file at the end.
  if (existsSync(join(modules, ".package-lock.json"))) return modules;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  const options = ["--ignore-scripts", "--no-audit", "--no-fund"];
  try {
    await promisify(execFile)("npm", ["install", ...options, name], { cwd: folder });
  } catch (error) {
    // Only the code: the rest of npm's message has addresses and paths of this machine.
    const { stderr = "", message } = /** @type {Error & { stderr?: string }} */ (error);
    const [, code = "no code"] = /npm (?:error|ERR!) code (\S+)/.exec(stderr || message) ?? [];
    throw new Error(`npm cannot install ${name} (${code})`, { cause: error });
  }
  return modules;
}
