// The build. The programs, and the files for require(), are CommonJS, which starts sooner than ES modules. Each dynamic import
// in the code begins a file of its own, so a command loads only what it runs, and a module that several files need is in one
// of them. Nothing is minified, so that stack traces name our functions.
import { mkdir, readdir, rm } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join, resolve } from "node:path";
import { build } from "rolldown";
import * as globals from "./globals.js";
import { thirdPartyLicenses } from "./licenses.js";
import { textFiles } from "./text-files.js";
import { undiciModules } from "./undici-modules.js";

const GLOBALS = resolve("build/globals.js");

/**
 * Packages load modules of Node with require(), some of them only where Node has them. An ES module has no require(), and
 * bundlers cannot follow createRequire(import.meta.url), which rolldown writes. Its plugin esmExternalRequirePlugin imports them
 * all, also node:sqlite, which Node 20 does not have.
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
  resolve: {
    alias: {
      undici: resolve("build/undici.js"),
      timers$: GLOBALS,
      "node:timers$": GLOBALS,
      "timers/promises$": resolve("build/timers-promises.js"),
      "node:timers/promises$": resolve("build/timers-promises.js"),
    },
  },
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
  plugins: [undiciModules, textFiles, thirdPartyLicenses],
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

// vitest is an ES module alone. The sandbox is in its own file, which is CommonJS: it is not for bundlers.
/** @satisfies {import("rolldown").InputOptions} */
const vitest = {
  input: { vitest: "sandbox/vitest.ts" },
  platform: "node",
  plugins: [
    {
      name: "sandbox-of-package",
      resolveId: (id) => (id === "./index.ts" ? { id: "./sandbox.cjs", external: true } : null),
    },
    thirdPartyLicenses,
  ],
  external: ["vitest"],
};

// A receiver on another platform has nothing of Node but its crypto.
/** @satisfies {import("rolldown").InputOptions} */
const signature = {
  input: { signature: "src/signature.ts" },
  platform: "neutral",
  external: ["node:crypto"],
  plugins: [thirdPartyLicenses],
};

await mkdir("dist", { recursive: true });
// dist/binary is another build.
for (const name of await readdir("dist"))
  if (name !== "binary") await rm(join("dist", name), { recursive: true });

await build([
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
