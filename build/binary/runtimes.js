// The runtimes of the platforms, which npm has as packages. They are 100 MB each, so the project does not depend on them: the
// first build of a platform fetches its runtime into a cache.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";

const CACHE = resolve("node_modules/.cache/claims-binary");

/** @type {{ version: string, platforms: Record<string, { package: string, integrity: string }> }} */
const runtimes = JSON.parse(readFileSync("build/binary/runtimes.json", "utf8"));

export const runtimeVersion = runtimes.version;

export const platforms = Object.keys(runtimes.platforms);

const SYSTEMS = { win32: "windows" };

export const platformHere = `${SYSTEMS[/** @type {"win32"} */ (process.platform)] ?? process.platform}-${process.arch}`;

/** @param {string} platform @returns {string} the absolute path of its Bun */
export function fetchRuntime(platform) {
  const runtime = runtimes.platforms[platform];
  if (!runtime) throw new Error(`no runtime for ${platform}: choose one of ${platforms.join(", ")}`);
  const folder = join(CACHE, `${platform}-${runtimeVersion}`);
  const path = join(folder, "package", "bin", platform.startsWith("windows") ? "bun.exe" : "bun");
  if (existsSync(path)) return path;
  mkdirSync(CACHE, { recursive: true });
  const draft = mkdtempSync(join(CACHE, "draft-"));
  try {
    const options = ["--silent", "--pack-destination", draft];
    const packed = execFileSync("npm", ["pack", ...options, `${runtime.package}@${runtimeVersion}`], {
      encoding: "utf8",
      shell: process.platform === "win32",
    });
    const tarball = join(draft, packed.trim());
    const sum = createHash("sha512").update(readFileSync(tarball)).digest("base64");
    if (runtime.integrity !== `sha512-${sum}`)
      throw new Error(
        `${runtime.package}@${runtimeVersion} is not the package that build/binary/runtimes.json names`,
      );
    execFileSync("tar", ["xzf", packed.trim()], { cwd: draft });
    rmSync(tarball);
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return path;
}
