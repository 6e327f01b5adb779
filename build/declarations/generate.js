// `npm pack` writes the declarations of the package: one file for each entry point, which names no package but Node's types, and
// that of `./vitest` also vitest. rollup-plugin-dts compiles and rolls up. It cannot roll typebox up, and neither can
// rolldown-plugin-dts (which needs Node 22): type parameters hide the namespaces of the same names, as `Result`. So typebox.d.ts
// stands for it.
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";

/** Entry point in dist → its source. */
const ENTRY_POINTS = {
  index: "src/index.ts",
  sandbox: "sandbox/index.ts",
  signature: "src/signature.ts",
  vitest: "sandbox/vitest.ts",
};

/** @type {import("rollup").Plugin} */
const parts = {
  name: "parts",
  resolveId(id, importer) {
    if (id === "typebox") return resolve("build/declarations/typebox.d.ts");
    // `./vitest` has the types of `./sandbox`.
    return importer?.endsWith("vitest.ts") && id === "./index.ts"
      ? { id: "./sandbox.js", external: true }
      : null;
  },
};

for (const [name, input] of Object.entries(ENTRY_POINTS)) {
  const rolled = await rollup({
    input,
    external: /^(node:|vitest$)/,
    plugins: [parts, dts({ tsconfig: "build/declarations/tsconfig.json" })],
    onwarn(warning) {
      throw new Error(warning.message);
    },
  });
  const { output } = await rolled.generate({ format: "esm" });
  const [{ code }] = output;
  await writeFile(`dist/${name}.d.ts`, code);
  // To a CommonJS file, TypeScript refuses the declarations of an ES module. vitest is an ES module alone.
  if (name !== "vitest") await writeFile(`dist/${name}.d.cts`, code);
}
