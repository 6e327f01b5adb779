#!/usr/bin/env node
// Sets up and hands over; the exit code is set rather than forced, so that everything written arrives.
const { readFileSync, writeSync } = require("node:fs");
const { join } = require("node:path");

/** The version needs nothing of the program; if it cannot be written, the program reports the error. */
function printsVersion() {
  if (process.argv.length !== 3 || process.argv[2] !== "--version") return false;
  try {
    const manifest = readFileSync(join(__dirname, "..", "package.json"), "utf8");
    writeSync(1, `${JSON.parse(manifest).version}\n`);
    return true;
  } catch {
    return false;
  }
}

/** From now on, Node 20 compiles WebAssembly, such as the HTTP parser, faster, and it runs slower. Newer versions gain nothing. */
function tuneForShortRun() {
  if (process.versions.node.startsWith("20.")) require("node:v8").setFlagsFromString("--liftoff-only");
}

if (!printsVersion()) {
  require("../dist/cli.cjs")
    .main({
      runtime: `Node ${process.versions.node}`,
      self: [process.execPath, __filename],
      tuneForShortRun,
    })
    .then((exitCode) => {
      process.exitCode = exitCode;
    });
}
