// What the bundles take from Node's modules in place of its globals. A host's test suite may fake the timers, also those of
// node:timers, and jsdom replaces or lacks some globals. A sandbox in such a suite works as it does anywhere else.

const TIMERS = "setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate";

// A file, so that what is loaded later gets the timers as they were when the first of our files was loaded.
export const TIMER_FILES = {
  "timers.cjs": `"use strict";
const { ${TIMERS} } = require("node:timers");
module.exports = { ${TIMERS}, promises: { ...require("node:timers/promises") } };
`,
  "timers.js": `import timers from "node:timers";
import own from "node:timers/promises";
export const { ${TIMERS} } = timers;
export const promises = { ...own };
`,
};

/** @type {Record<string, string>} */
const MODULES = {
  "timers/promises": `
    import { promises } from "node:timers";
    export const { setTimeout, setInterval, setImmediate } = promises;`,
  "kept-globals": `
    export { ${TIMERS} } from "node:timers";
    export { Blob } from "node:buffer";
    export { ReadableStream } from "node:stream/web";
    export { URL, URLSearchParams } from "node:url";
    export { TextDecoder, TextEncoder } from "node:util";
    // No module of Node exports it, jest's jsdom lacks it, and Koa tests every object that is a body for it.
    export class Response {
      static [Symbol.hasInstance](value) {
        return "Response" in globalThis && value instanceof globalThis.Response;
      }
    }
    // jest can fake these two before it loads anything. Promises do the same, and no suite fakes them.
    const queueMicrotask = (work) => void Promise.resolve().then(work);
    const nextTick = (work, ...given) => void Promise.resolve().then(() => work(...given));
    export { queueMicrotask, nextTick as "process.nextTick" };`,
};

/** For `inject`: what it exports stands for the globals of the same names in every bundled file. */
export const KEPT_GLOBALS = "kept-globals";

/**
 * @param {".cjs" | ".js"} extension of the files that are built
 * @returns {import("esbuild").Plugin}
 */
export const keepGlobals = (extension) => ({
  name: "keep-globals",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?timers$/ }, () => ({
      path: `./timers${extension}`,
      external: true,
      sideEffects: false,
    }));
    onResolve({ filter: /^((node:)?timers\/promises|kept-globals)$/ }, ({ path }) => ({
      path: path.replace(/^node:/, ""),
      namespace: "kept",
      sideEffects: false,
    }));
    onLoad({ filter: /.*/, namespace: "kept" }, ({ path }) => ({ contents: MODULES[path] ?? "" }));
  },
});
