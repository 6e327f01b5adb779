#!/usr/bin/env node
// Sets up and hands over; the exit code is set, never forced, so that everything written arrives.
import { readFileSync } from "node:fs";
import * as nodeModule from "node:module";

const manifest = new URL("../package.json", import.meta.url);

if (process.argv.length === 3 && process.argv[2] === "--version") {
  process.stdout.write(`${JSON.parse(readFileSync(manifest, "utf8")).version}\n`);
} else {
  nodeModule.enableCompileCache?.(); // from Node 22 on
  const { main } = await import("../dist/cli.js");
  process.exitCode = await main();
}
