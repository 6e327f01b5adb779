// `npm run binary [-- --all]`: the command line as one file that needs no Node, for this platform or for all, in dist/binary.
// Bun compiles it: our code becomes one CommonJS file, and its bytecode is appended to the runtime of the platform.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import process from "node:process";
import { build } from "rolldown";
import { thirdPartyLicenses } from "../licenses.js";
import { shared } from "../options.js";
import { fetchRuntime, platformHere, platforms, runtimeVersion } from "./runtimes.js";

const FOLDER = "dist/binary";

/** The current folder belongs to a stranger: a `.env` there could send the credential to another address. */
const IGNORE_CURRENT_FOLDER = ["dotenv", "bunfig", "package-json", "tsconfig"].map(
  (what) => `--no-compile-autoload-${what}`,
);

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const compiler = await fetchRuntime(platformHere);
const work = mkdtempSync(join(tmpdir(), "claims-binary-"));
try {
  const modules = await bundle();
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const wanted = process.argv.includes("--all") ? platforms : [platformHere];
  const made = [writeLicenses(modules)];
  for (const platform of wanted) made.push(compile(platform, await fetchRuntime(platform)));
  writeFileSync(join(FOLDER, "SHA256SUMS"), made.map(sumLine).join(""));
  for (const name of made) process.stdout.write(`${join(FOLDER, name)}\n`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** @returns {Promise<string[]>} the modules that have code in it */
async function bundle() {
  const { output } = await build({
    ...shared,
    // Bun would replace it by the path on this machine.
    transform: { ...shared.transform, define: { __filename: '"claims"' } },
    input: { program: "build/binary/program.ts" },
    output: {
      dir: work,
      format: "cjs",
      codeSplitting: false,
      comments: false,
      entryFileNames: "[name].cjs",
    },
  });
  return Object.entries(output[0].modules).flatMap(([id, { renderedLength }]) =>
    renderedLength > 0 ? [relative("", id)] : [],
  );
}

/** @param {string} platform @param {string} runtime its path @returns {string} the name of the file */
function compile(platform, runtime) {
  const name = `claims-${version}-${platform}${platform.startsWith("windows") ? ".exe" : ""}`;
  // Names in a stack trace are of use to us alone, and reach a person only with a fault of the program.
  const options = ["--compile", "--minify", "--bytecode", "--format=cjs", ...IGNORE_CURRENT_FOLDER];
  const target = [`--target=bun-${platform}`, `--compile-executable-path=${runtime}`];
  execFileSync(compiler, ["build", ...options, ...target, "program.cjs", "--outfile", name], {
    cwd: work,
    stdio: ["ignore", "ignore", "inherit"],
  });
  renameSync(join(work, name), resolve(FOLDER, name));
  return name;
}

/** @param {string[]} modules @returns {string} the name of the file */
function writeLicenses(modules) {
  const engine = `The runtime in each file is Bun ${runtimeVersion} (https://github.com/oven-sh/bun), under the MIT licence. It links
JavaScriptCore and parts of WebKit (GNU LGPL, version 2) and TinyCC (GNU LGPL, version 2.1); their texts follow. Their source is
at https://github.com/oven-sh/webkit and https://github.com/tinycc/tinycc, and Bun's LICENSE.md says how to link Bun again with a
changed one. This program can be joined with such a Bun: \`npm run binary\` in its source does that. LICENSE.md also lists the
other libraries in Bun, under MIT, BSD, Apache 2.0, zlib and similar licences.`;
  const texts = ["LGPL-2.txt", "LGPL-2.1.txt"].map((name) => readFileSync(`build/binary/${name}`, "utf8"));
  const name = "THIRD_PARTY_LICENSES";
  const packages = thirdPartyLicenses(modules, "Each file");
  writeFileSync(join(FOLDER, name), [packages, engine, ...texts].join(`\n${"=".repeat(80)}\n\n`));
  return name;
}

/** @param {string} name */
function sumLine(name) {
  const sum = createHash("sha256")
    .update(readFileSync(join(FOLDER, name)))
    .digest("hex");
  return `${sum}  ${name}\n`;
}
