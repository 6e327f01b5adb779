// What a bundler does not write: the ES module of the sandbox, and declarations for require(). To a CommonJS file, TypeScript
// before 5.8 and `module: node16` refuse the declarations of an ES module.
import { createRequire } from "node:module";

/** Entry point in dist → its declarations. */
const ENTRY_POINTS = { index: "src/index", sandbox: "sandbox/index", signature: "src/signature" };

/**
 * The sandbox is not for bundlers: its ES module re-exports its CommonJS file.
 *
 * @returns {[name: string, text: string][]} to be written when the CommonJS files are there
 */
export function libraryFiles() {
  const require = createRequire(import.meta.url);
  const names = Object.keys(require("./dist/sandbox.cjs")).join(", ");
  const sandbox = `import { createRequire } from "node:module";\nexport const { ${names} } = createRequire(import.meta.url)("./sandbox.cjs");\n`;
  const declarations = Object.entries(ENTRY_POINTS).map(([name, types]) => {
    const esm = `"./types/${types}.d.ts" with { "resolution-mode": "import" }`;
    const exported = Object.entries(require(`./dist/${name}.cjs`)).map(([member, value]) => {
      const typeExport = /^class\b/.test(String(value)) ? `export type ${member} = esm.${member};\n` : "";
      return `export declare const ${member}: typeof esm.${member};\n${typeExport}`;
    });
    const text = `import type * as esm from ${esm};\nexport type * from ${esm};\n${exported.join("")}`;
    return /** @type {[string, string]} */ ([`${name}.d.cts`, text]);
  });
  return [["sandbox.js", sandbox], ...declarations];
}
