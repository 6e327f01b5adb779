// Asks the registry for known vulnerabilities of the packages that the tarball bundles. A registry without that endpoint is no
// failure: then nothing is known.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const NOT_TESTED =
  "This registry answers no audit: whether the bundled packages have known vulnerabilities is NOT tested";

// The bundler names each module in a comment.
const files = readdirSync("dist", { recursive: true, encoding: "utf8" }).filter((name) =>
  /\.c?js$/.test(name),
);
const code = files.map((name) => readFileSync(join("dist", name), "utf8")).join("\n");
const bundled = new Set(
  [...code.matchAll(/^\s*\/\/ (?:\S*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)].map(([, name]) => name),
);
if (bundled.size < 10) throw new Error(`dist has ${bundled.size} packages`);

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
