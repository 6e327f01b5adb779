// The bundle: one file per public face and shared chunks, so that a command loads only what it runs.
// Everything is bundled; typebox is a dependency only because the shipped declarations speak of its types.
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const result = await build({
  entryPoints: { cli: "src/cli/main.ts", index: "src/index.ts", sandbox: "sandbox/index.ts" },
  outdir: "dist",
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  legalComments: "none",
  loader: { ".sql": "text" },
  // CommonJS packages inside an ES module bundle still call require() for node's own modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
  metafile: true,
  logLevel: "warning",
});

// What an earlier build has left goes last, so that a program that runs meanwhile finds its chunks.
for (const name of await readdir("dist/chunks")) {
  const path = join("dist", "chunks", name);
  if (!(path in result.metafile.outputs)) await rm(path);
}
