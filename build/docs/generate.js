// `npm run docs` writes docs/reference and the man page from what the built command line says about itself, and from the
// saved figures of the benchmark; and what it says about the library of the sandbox, for the next build. With --check it only
// compares, and fails when a file differs.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { manPage } from "./man-page.js";
import { PAGES } from "./pages.js";
import { readSandboxLibrary } from "./sandbox-library.js";

const FOLDER = resolve("docs/reference");

/** @param {readonly string[]} args */
const claims = (...args) =>
  execFileSync(process.execPath, ["bin/claims.js", ...args], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });

/** @type {import("../../src/cli/documents/capabilities.ts").Capabilities} */
const printed = JSON.parse(claims("capabilities", "--json"));
const library = readSandboxLibrary();
const capabilities = {
  ...printed,
  sandboxOptions: library.options,
  sandboxMembers: library.members,
  commands: printed.commands.map(({ ownOptions, ...command }) => ({
    ...command,
    options: command.options.flatMap(
      (name) => [...ownOptions, ...printed.options].find(({ flag }) => flag === name) ?? [],
    ),
  })),
};
const sources = {
  capabilities,
  schemas: pickSchemas((name) => !name.includes(" ")),
  // Their names are a method and a path.
  controlResponses: pickSchemas((name) => name.includes(" ")),
  assumptions: JSON.parse(claims("contract", "assumptions", "--json")),
  figures: JSON.parse(readFileSync("test/bench/figures.json", "utf8")),
};

/** Path → text. */
const files = new Map([
  [join(FOLDER, "capabilities.schema.json"), toJson(dereference(printed.$defs.Capabilities))],
  [resolve("docs/claims.1"), manPage(capabilities)],
  [resolve("src/cli/capabilities/sandbox-library.json"), toJson(library)],
  ...Object.entries(PAGES).map(
    ([name, render]) => /** @type {const} */ ([join(FOLDER, `${name}.md`), `${render(sources).trim()}\n`]),
  ),
]);

/** @param {(name: string) => boolean} isWanted */
function pickSchemas(isWanted) {
  const entries = Object.entries(printed.$defs).filter(([name]) => isWanted(name));
  return Object.fromEntries(entries.map(([name, schema]) => [name, dereference(schema)]));
}

/** A schema without references to others. @param {unknown} schema @returns {any} */
function dereference(schema) {
  return JSON.parse(JSON.stringify(schema), (_, value) =>
    typeof value?.$ref === "string" ? dereference(find(value.$ref)) : value,
  );
}

/** The value at a JSON pointer of the document. @param {string} reference */
function find(reference) {
  const keys = decodeURIComponent(reference).split("/").slice(1);
  return keys
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((/** @type {any} */ value, key) => value[key], printed);
}

/** @param {unknown} value */
function toJson(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
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
