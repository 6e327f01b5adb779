// What both builds share, that of the package and that of the one file without Node: how our code and its packages are bundled
// for a runtime that knows the modules of Node.
import { resolve } from "node:path";
import * as globals from "./globals.js";
import { labScript } from "./lab.js";
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

/** @satisfies {import("rolldown").InputOptions} */
export const shared = {
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
      ReadableStream: ["node:stream/web", "ReadableStream"],
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
  plugins: [timersOfGlobals, sandboxLibrary, labScript, textFiles],
};
