// `npm pack` writes the declarations of the package: one file for each entry point. They name no package but Node's types, and
// those of `./vitest` also vitest. The declarations of typebox cannot be rolled up, so typebox.d.ts stands for them, and the types
// that follow from schemas are written out.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "rolldown";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import { writeOutSchemas } from "./contract.js";

const CONTRACT = "src/contract";

/**
 * Entry point in dist → its source, and what its declarations may import besides modules of Node.
 *
 * @type {Record<string, { source: string, imports: readonly string[] }>}
 */
const ENTRY_POINTS = {
  index: { source: "src/index", imports: [] },
  sandbox: { source: "sandbox/index", imports: [] },
  signature: { source: "src/signature", imports: [] },
  vitest: { source: "sandbox/vitest", imports: ["vitest", "./sandbox.js"] },
};

const folder = mkdtempSync(join(tmpdir(), "claims-declarations-"));
try {
  emitDeclarations(folder);
  await writeOutContract(folder);
  for (const [name, { source, imports }] of Object.entries(ENTRY_POINTS)) {
    const rolled = join(folder, `${name}.d.ts`);
    writeFileSync(rolled, (await rollUp(join(folder, `${source}.d.ts`), {})).code);
    // Only now, because what is left names a schema and its type alone, and nothing else of typebox.
    const { code, imports: imported } = await rollUp(rolled, { typebox: "build/declarations/typebox.d.ts" });
    const unknown = imported.filter((id) => !id.startsWith("node:") && !imports.includes(id));
    if (unknown.length > 0) throw new Error(`the declarations of ${source}.ts name ${unknown.join(", ")}`);
    writeFileSync(`dist/${name}.d.ts`, code);
    // To a CommonJS file, TypeScript refuses the declarations of an ES module. vitest is an ES module alone.
    if (name !== "vitest") writeFileSync(`dist/${name}.d.cts`, code);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** One file for each module. @param {string} folder */
function emitDeclarations(folder) {
  const tsc = join(createRequire(import.meta.url).resolve("typescript/package.json"), "../bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", "build/declarations/tsconfig.json", "--outDir", folder], {
    stdio: ["ignore", 2, 2],
  });
}

/** Replaces the declarations of the contract that have types of typebox. @param {string} folder */
async function writeOutContract(folder) {
  const names = readdirSync(join(folder, CONTRACT), { recursive: true, encoding: "utf8" }).flatMap(
    (name) => /^(.+)\.d\.ts$/.exec(name)?.[1] ?? [],
  );
  const modules = join(folder, "modules");
  await build({
    input: Object.fromEntries(names.map((name) => [name, resolve(CONTRACT, `${name}.ts`)])),
    platform: "node",
    output: { dir: modules, entryFileNames: "[name].mjs" },
  });
  for (const name of names) {
    const path = join(folder, CONTRACT, `${name}.d.ts`);
    const values = await import(pathToFileURL(join(modules, `${name}.mjs`)).href);
    writeFileSync(path, writeOutSchemas(readFileSync(path, "utf8"), values));
  }
}

/**
 * One file for a module and all that it needs.
 *
 * @param {string} input
 * @param {Readonly<Record<string, string>>} packages those to include, each with its declarations
 */
async function rollUp(input, packages) {
  const rolled = await rollup({
    input,
    external: (id) => /^[^./]/.test(id) && !(id in packages),
    plugins: [
      {
        name: "declarations-of-package",
        resolveId(id) {
          // `./vitest` has the types of `./sandbox`.
          if (id === "./index.ts" || id === "./sandbox.js") return { id: "./sandbox.js", external: true };
          return packages[id] ? resolve(packages[id]) : null;
        },
      },
      dts(),
    ],
  });
  const { output } = await rolled.generate({ format: "esm" });
  return output[0];
}
