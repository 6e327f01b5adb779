// `npm run docs` writes docs/reference from what the built command line says about itself, from the tables of
// the sources, and from the saved figures of the benchmark. With --check it only compares, and fails when a file differs.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "rolldown";
import { PAGES } from "./pages.js";

const FOLDER = resolve("docs/reference");

/** @param {readonly string[]} args */
const claims = (...args) =>
  execFileSync(process.execPath, ["bin/claims.js", ...args], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });

/** @type {import("../../src/cli/documents/capabilities.ts").Capabilities} */
const printed = JSON.parse(claims("capabilities", "--json"));
const capabilities = {
  ...printed,
  commands: printed.commands.map(({ ownOptions, ...command }) => ({
    ...command,
    options: command.options.flatMap(
      (name) => [...ownOptions, ...printed.options].find(({ flag }) => flag === name) ?? [],
    ),
  })),
};
const tables = await loadTables();
const sources = {
  capabilities,
  tables,
  declarations: readDeclarations(),
  assumptions: JSON.parse(claims("contract", "assumptions", "--json")),
  figures: JSON.parse(readFileSync("test/bench/figures.json", "utf8")),
};

/** Path → text. */
const files = new Map([
  [join(FOLDER, "capabilities.schema.json"), `${JSON.stringify(tables.CAPABILITIES_SCHEMA, null, 2)}\n`],
  ...Object.entries(PAGES).map(
    ([name, render]) => /** @type {const} */ ([join(FOLDER, `${name}.md`), `${render(sources).trim()}\n`]),
  ),
]);

/** Bundles the tables, because Node 20 cannot import TypeScript. @returns {Promise<import("./pages.js").Tables>} */
async function loadTables() {
  // Below node_modules, so that packages resolve.
  const file = resolve(`node_modules/.cache/claims-docs/${process.pid}.js`);
  await build({
    input: resolve("build/docs/tables.ts"),
    platform: "node",
    external: (/** @type {string} */ id) => /^[^./\0]/.test(id),
    output: { file, format: "esm", codeSplitting: false },
  });
  try {
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(file);
  }
}

/** What startSandbox() takes and returns, as the sources declare it. */
function readDeclarations() {
  const names = ["sandbox", "webhooks", "faults", "requests", "snapshots"];
  const paths = [...names.map((name) => `sandbox/api/${name}.ts`), "src/contract/activity/events.ts"];
  const text = paths.map((path) => readFileSync(path, "utf8")).join("\n");
  const interfaces = text.match(/(?:\/\*\*(?:(?!\*\/).)*\*\/\n)?export interface .*?\n}\n/gs) ?? [];
  return interfaces
    .join("\n")
    .replace(/\b(export|readonly) /g, "")
    .trim();
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

mkdirSync(FOLDER, { recursive: true });
const unknown = readdirSync(FOLDER)
  .map((name) => join(FOLDER, name))
  .filter((path) => !files.has(path));
const outdated = [...files].filter(([path, text]) => read(path) !== text).map(([path]) => path);

if (process.argv.includes("--check")) {
  for (const path of [...outdated, ...unknown])
    console.error(`${path} differs from the code: run npm run docs`);
  process.exitCode = outdated.length + unknown.length > 0 ? 1 : 0;
} else {
  for (const path of unknown) rmSync(path);
  for (const path of outdated) writeFileSync(path, files.get(path) ?? "");
  console.log(outdated.length > 0 ? outdated.join("\n") : "nothing to change");
}
