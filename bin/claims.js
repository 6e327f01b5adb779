#!/usr/bin/env node
// Sets up and hands over; the exit code is set rather than forced, so that everything written arrives.
const { readFileSync, writeSync } = require("node:fs");
const { dirname, join } = require("node:path");

const root = dirname(__dirname);

/** The version needs nothing of the program; where it cannot be written, the program tells why. */
function printsVersion() {
  if (process.argv.length !== 3 || process.argv[2] !== "--version") return false;
  try {
    writeSync(1, `${JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version}\n`);
    return true;
  } catch {
    return false;
  }
}

function loadProgram() {
  const { enableCompileCache } = require("node:module"); // from Node 22 on
  if (!enableCompileCache)
    return require("./compile-cache.js")(join(root, "dist"))(join(root, "dist", "cli.cjs"));
  enableCompileCache();
  return require("../dist/cli.cjs");
}

if (!printsVersion()) {
  loadProgram()
    .main({
      runtime: `Node ${process.versions.node}`,
      self: [process.execPath, __filename],
    })
    .then((exitCode) => {
      process.exitCode = exitCode;
    });
}
