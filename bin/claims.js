#!/usr/bin/env node
// Sets up and hands over; the exit code is set rather than forced, so that everything written arrives.
const { readFileSync } = require("node:fs");
const { dirname, join } = require("node:path");

const root = dirname(__dirname);

if (process.argv.length === 3 && process.argv[2] === "--version") {
  process.stdout.write(`${JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version}\n`);
} else {
  require("node:module").enableCompileCache?.(); // from Node 22 on
  require("../dist/cli.cjs")
    .main(root)
    .then((exitCode) => {
      process.exitCode = exitCode;
    });
}
