// The build. The programs, and the files for require(), are CommonJS, which starts sooner than ES modules. Each dynamic import
// in the code begins a file of its own, so a command loads only what it runs, and a module that several files need is in one
// of them. Nothing is minified, so that stack traces name our functions.
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join, relative, resolve } from "node:path";
import { build } from "rolldown";
import * as globals from "./globals.js";
import { thirdPartyLicenses } from "./licenses.js";
import { packageBuiltins } from "./package-builtins.js";
import { sandboxLibrary } from "./sandbox-library.js";
import { textFiles } from "./text-files.js";

const GLOBALS = resolve("build/globals.js");

/** @type {import("rolldown").Plugin} */
const timersOfGlobals = {
  name: "timers-of-globals",
  resolveId(id, importer) {
    if (importer === GLOBALS) return null;
    if (/^(node:)?timers$/.test(id)) return GLOBALS;
    return /^(node:)?timers\/promises$/.test(id) ? "\0timers/promises" : null;
  },
  load: (id) =>
    id === "\0timers/promises"
      ? `import { timersPromises } from ${JSON.stringify(GLOBALS)};
         export const { setTimeout, setInterval, setImmediate } = timersPromises;`
      : null,
};

/**
 * Packages load modules of Node with require(), some of them only where Node has them. An ES module has no require(), and
 * bundlers cannot follow createRequire(import.meta.url).
 *
 * @type {import("rolldown").Plugin}
 */
const builtinsOfRequire = {
  name: "builtins-of-require",
  resolveId: (id, _, { kind }) =>
    kind === "require-call" && (id.startsWith("node:") || isBuiltin(id)) ? `\0require:${id}` : null,
  load(id) {
    const [, name] = /^\0require:(.+)$/.exec(id) ?? [];
    if (name === undefined) return null;
    return `module.exports = process.getBuiltinModule("${name}");
      if (!module.exports) throw new Error("this Node has no ${name}");`;
  },
};

/** @satisfies {import("rolldown").InputOptions} */
const shared = {
  platform: "node",
  // depd, of Koa, uses eval.
  checks: { eval: false },
  resolve: { alias: { undici: resolve("build/undici.js") } },
  transform: {
    target: "node20.19",
    inject: {
      ...Object.fromEntries(Object.keys(globals).map((name) => [name, [GLOBALS, name]])),
      "process.nextTick": [GLOBALS, "nextTick"],
      Blob: ["node:buffer", "Blob"],
      TextDecoder: ["node:util", "TextDecoder"],
      TextEncoder: ["node:util", "TextEncoder"],
      URL: ["node:url", "URL"],
      URLSearchParams: ["node:url", "URLSearchParams"],
    },
  },
  treeshake: {
    moduleSideEffects: [
      // package.json says that no module of ours has side effects.
      { test: /build\/undici\.js$/, sideEffects: true },
      { test: /^node:/, sideEffects: false },
    ],
  },
  plugins: [timersOfGlobals, packageBuiltins, sandboxLibrary, textFiles],
};

/** @satisfies {import("rolldown").OutputOptions} */
const output = { dir: "dist", comments: false, chunkFileNames: "chunks/[name].js" };

/** @satisfies {import("rolldown").OutputOptions} */
const commonJs = {
  ...output,
  format: "cjs",
  entryFileNames: "[name].cjs",
  chunkFileNames: "chunks/[name].cjs",
};

// vitest is an ES module alone, and the sandbox is in its own file.
/** @satisfies {import("rolldown").InputOptions} */
const vitest = {
  input: { vitest: "sandbox/vitest.ts" },
  platform: "node",
  plugins: [
    {
      name: "sandbox-of-package",
      resolveId: (id) => (id === "./index.ts" ? { id: "./sandbox.js", external: true } : null),
    },
  ],
  external: ["vitest"],
};

// A receiver on another platform has nothing of Node but its crypto.
/** @satisfies {import("rolldown").InputOptions} */
const signature = {
  input: { signature: "src/signature.ts" },
  platform: "neutral",
  external: ["node:crypto"],
};

await mkdir("dist", { recursive: true });
const built = await build([
  {
    ...shared,
    input: { cli: "src/cli/main.ts", index: "src/index.ts", sandbox: "sandbox/index.ts" },
    output: commonJs,
  },
  {
    ...shared,
    input: { index: "src/index.ts" },
    plugins: [...shared.plugins, builtinsOfRequire],
    output: { ...output, format: "esm" },
  },
  { ...signature, output: { ...output, format: "esm" } },
  { ...vitest, output: { ...output, format: "esm" } },
  { ...signature, output: commonJs },
]);

const chunks = built.flatMap(({ output: files }) => files.filter((file) => file.type === "chunk"));
const exportsOfSandbox = chunks.find(({ fileName }) => fileName === "sandbox.cjs")?.exports ?? [];

/** File in dist → the modules that it has code of. @type {Record<string, string[]>} */
const modules = {};
for (const { fileName, modules: parts } of chunks)
  modules[fileName] = Object.entries(parts).flatMap(([id, { renderedLength }]) =>
    renderedLength > 0 ? [relative("", id)] : [],
  );

const made = new Set(Object.keys(modules));
/** @param {string} name @param {string} text */
const write = (name, text) => {
  made.add(name);
  return writeFile(`dist/${name}`, text);
};
// The sandbox is not for bundlers: its ES module re-exports its CommonJS file.
await write(
  "sandbox.js",
  `import { createRequire } from "node:module";\nexport const { ${exportsOfSandbox.join(", ")} } = createRequire(import.meta.url)("./sandbox.cjs");\n`,
);
// A test compares the licences with it; it is not shipped.
await write("modules.json", JSON.stringify(modules));
await writeFile(
  "THIRD_PARTY_LICENSES",
  thirdPartyLicenses(Object.values(modules).flat(), "The folder dist/"),
);

// Last, so that a program that runs during a build finds its files. dist/binary is another build.
for (const entry of await readdir("dist", { recursive: true, withFileTypes: true })) {
  const name = relative("dist", join(entry.parentPath, entry.name));
  if (entry.isFile() && !made.has(name) && !name.startsWith("binary")) await rm(join("dist", name));
}
