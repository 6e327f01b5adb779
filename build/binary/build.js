// `npm run binary [-- --all]`: the command line as one file that needs no Node, for this platform or for all, in dist/binary.
// Bun compiles what the build made: it appends our files, as bytecode, to the runtime of the platform.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fetchRuntime, platformHere, platforms, runtimeVersion } from "./runtimes.js";

const FOLDER = "dist/binary";

const OPTIONS = [
  // Names in a stack trace are of use to us alone, and reach a person only with a fault of the program.
  ...["--compile", "--minify", "--bytecode", "--format=cjs"],
  // The current folder belongs to a stranger: a `.env` there could send the credential to another address.
  ...["dotenv", "bunfig", "package-json", "tsconfig"].map((what) => `--no-compile-autoload-${what}`),
  // sql.js names it, and Bun would write the path on this machine into the file.
  ...["--define", '__filename="claims"'],
];

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const compiler = fetchRuntime(platformHere);

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const wanted = process.argv.includes("--all") ? platforms : [platformHere];
const made = [writeLicenses()];
for (const platform of wanted) made.push(compile(platform, fetchRuntime(platform)));
writeFileSync(join(FOLDER, "SHA256SUMS"), made.map(sumLine).join(""));
for (const name of made) process.stdout.write(`${join(FOLDER, name)}\n`);

/** @param {string} platform @param {string} runtime its path @returns {string} the name of the file */
function compile(platform, runtime) {
  const name = `claims-${version}-${platform}${platform.startsWith("windows") ? ".exe" : ""}`;
  const target = [`--target=bun-${platform}`, `--compile-executable-path=${runtime}`];
  const outfile = ["--outfile", join(FOLDER, name)];
  execFileSync(compiler, ["build", "build/binary/program.cjs", ...OPTIONS, ...target, ...outfile], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return name;
}

/** @returns {string} the name of the file */
function writeLicenses() {
  const engine = `The runtime in each file is Bun ${runtimeVersion} (https://github.com/oven-sh/bun), under the MIT licence. It links
JavaScriptCore and parts of WebKit (GNU LGPL, version 2) and TinyCC (GNU LGPL, version 2.1); their texts follow. Their source is
at https://github.com/oven-sh/webkit and https://github.com/tinycc/tinycc, and Bun's LICENSE.md says how to link Bun again with a
changed one. This program can be joined with such a Bun: \`npm run binary\` in its source does that. LICENSE.md also lists the
other libraries in Bun, under MIT, BSD, Apache 2.0, zlib and similar licences.\n`;
  const texts = ["LGPL-2.txt", "LGPL-2.1.txt"].map((name) => readFileSync(`build/binary/${name}`, "utf8"));
  const name = "THIRD_PARTY_LICENSES";
  const parts = [readFileSync(name, "utf8"), engine, ...texts];
  writeFileSync(join(FOLDER, name), parts.join(`\n${"=".repeat(80)}\n\n`));
  return name;
}

/** @param {string} name @returns {string} its line in SHA256SUMS */
function sumLine(name) {
  const content = readFileSync(join(FOLDER, name));
  return `${createHash("sha256").update(content).digest("hex")}  ${name}\n`;
}
