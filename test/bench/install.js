// Packages that only the benchmark runs. They are no dependencies of the repository: each set has a folder of its own.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./processes.js";

const CACHE = join(ROOT, "node_modules", ".cache", "bench");

/**
 * Installs packages from the package registry, once per checkout, and returns the folder of the modules: without packages,
 * that of the repository.
 * @param {readonly string[]} packages with their versions
 */
export async function installPackages(packages) {
  if (packages.length === 0) return join(ROOT, "node_modules");
  const folder = join(CACHE, packages.join("+").replaceAll("/", "-"));
  const modules = join(folder, "node_modules");
  // npm writes this file at the end.
  if (existsSync(join(modules, ".package-lock.json"))) return modules;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  const options = ["--ignore-scripts", "--no-audit", "--no-fund"];
  try {
    await promisify(execFile)("npm", ["install", ...options, ...packages], { cwd: folder });
  } catch (error) {
    // Only the code: the rest of npm's message has addresses and paths of this machine.
    const { stderr = "", message } = /** @type {Error & { stderr?: string }} */ (error);
    const [, code = "no code"] = /npm (?:error|ERR!) code (\S+)/.exec(stderr || message) ?? [];
    throw new Error(`npm cannot install ${packages.join(" ")} (${code})`, { cause: error });
  }
  return modules;
}
