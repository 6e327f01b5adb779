// What `exports` in package.json lists. The client and the signatures are plain ES modules, which any bundler can follow, and
// CommonJS files from the same sources. Nobody bundles the sandbox: its ES module hands on what its CommonJS file exports.
import { createRequire, isBuiltin } from "node:module";
import { KEPT_GLOBALS, keepGlobals } from "./esbuild.globals.js";

/** Entry point in dist → where its declarations are. */
const ENTRY_POINTS = { index: "src/index", sandbox: "sandbox/index", signature: "src/signature" };

// Packages load modules of Node with require(), which an ES module does not have.
/** @type {import("esbuild").Plugin} */
const getBuiltins = {
  name: "get-builtins",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /.*/ }, ({ path, kind }) =>
      kind === "require-call" && (path.startsWith("node:") || isBuiltin(path))
        ? { path, namespace: "builtin" }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
      contents: `
        module.exports = process.getBuiltinModule("${path}");
        if (!module.exports) throw new Error("this Node has no ${path}");`,
    }));
  },
};

/** @type {import("esbuild").BuildOptions} */
const signature = {
  entryPoints: { signature: "src/signature.ts" },
  // A receiver on another platform has nothing of Node but its crypto.
  platform: "neutral",
  external: ["node:crypto"],
};

/**
 * Not minified: that is the task of the bundler that follows, and stack traces name the functions.
 *
 * @param {readonly import("esbuild").Plugin[]} plugins for the packages that the client is made of
 * @returns {import("esbuild").BuildOptions[]}
 */
export const libraryBuilds = (plugins) => [
  {
    entryPoints: { index: "src/index.ts" },
    splitting: true,
    format: "esm",
    platform: "node",
    inject: [KEPT_GLOBALS],
    plugins: [keepGlobals(".js"), getBuiltins, ...plugins],
  },
  { ...signature, format: "esm" },
  { ...signature, format: "cjs", outExtension: { ".js": ".cjs" } },
];

/**
 * What no bundler makes: the ES module of the sandbox, and declarations for require(). To a CommonJS file, TypeScript before
 * 5.8 and `module: node16` refuse those of an ES module.
 *
 * @returns {[name: string, text: string][]} to be written when the CommonJS files are there
 */
export function libraryFiles() {
  const require = createRequire(import.meta.url);
  const names = Object.keys(require("./dist/sandbox.cjs")).join(", ");
  const handOn = `import { createRequire } from "node:module";\nexport const { ${names} } = createRequire(import.meta.url)("./sandbox.cjs");\n`;
  const declarations = Object.entries(ENTRY_POINTS).map(([name, types]) => {
    const esm = `"./types/${types}.d.ts" with { "resolution-mode": "import" }`;
    const declared = Object.entries(require(`./dist/${name}.cjs`)).map(([exported, value]) => {
      const alsoType = /^class\b/.test(String(value)) ? `export type ${exported} = esm.${exported};\n` : "";
      return `export declare const ${exported}: typeof esm.${exported};\n${alsoType}`;
    });
    const text = `import type * as esm from ${esm};\nexport type * from ${esm};\n${declared.join("")}`;
    return /** @type {[string, string]} */ ([`${name}.d.cts`, text]);
  });
  return [["sandbox.js", handOn], ...declarations];
}
