// Asks the registry for known vulnerabilities of the packages that the tarball bundles. A registry without that endpoint is no
// failure: then nothing is known.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const NOT_TESTED =
  "This registry answers no audit: whether the bundled packages have known vulnerabilities is NOT tested";

/** Of the bundler's own list of modules. @type {Record<string, readonly string[]>} */
const modules = JSON.parse(readFileSync("dist/modules.json", "utf8"));
const bundled = new Set(
  Object.values(modules)
    .flat()
    .flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
);
if (bundled.size < 10) throw new Error(`dist/modules.json names ${bundled.size} packages`);

/** Null if the registry does not know. */
function audit() {
  const options = /** @type {const} */ ({
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: 60_000,
  });
  try {
    return execFileSync("npm", ["audit", "--json"], options);
  } catch (error) {
    // npm exits 1 for findings, too.
    return /** @type {{ stdout?: string }} */ (error).stdout ?? null;
  }
}

/** @returns {{ vulnerabilities?: Record<string, { severity: string }> }} */
function parse(/** @type {string} */ text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

const print = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);

const { vulnerabilities } = parse(audit() ?? "");
if (!vulnerabilities) print(NOT_TESTED);
else {
  const found = Object.entries(vulnerabilities).filter(([name]) => bundled.has(name));
  for (const [name, { severity }] of found) print(`${name}: ${severity}`);
  print(`${bundled.size} bundled packages, ${found.length} with a known vulnerability`);
  if (found.some(([, { severity }]) => /high|critical/.test(severity))) process.exitCode = 1;
}
