#!/usr/bin/env node
// Sets up and hands over; the exit code is set rather than forced, so that everything written arrives.
const { readFileSync, writeSync } = require("node:fs");
const { dirname, join } = require("node:path");

const root = dirname(__dirname);

/** The version needs nothing of the program; if it cannot be written, the program reports the error. */
function printsVersion() {
  if (process.argv.length !== 3 || process.argv[2] !== "--version") return false;
  try {
    writeSync(1, `${JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version}\n`);
    return true;
  } catch {
    return false;
  }
}

/** Set while V8 has other flags than at its start: what it compiles then is not valid at the next start. */
let hasOtherFlags = false;

/** From now on WebAssembly, such as the HTTP parser, is compiled faster and runs slower. */
function tuneForShortRun() {
  if (hasOtherFlags) return;
  const { cachedDataVersionTag, setFlagsFromString } = require("node:v8");
  const tag = cachedDataVersionTag();
  setFlagsFromString("--liftoff-only");
  hasOtherFlags = true;
  // V8 accepts compiled code under the flags with which it was saved, so this runs before the code cache is saved. Up to Node 22,
  // the first flag changes the other two.
  process.prependOnceListener("exit", () => {
    for (const flag of ["--no-liftoff-only", "--wasm-tier-up", "--wasm-dynamic-tiering"])
      if (cachedDataVersionTag() !== tag) setFlagsFromString(flag);
  });
}

if (!printsVersion()) {
  const load = require("./compile-cache.js")(join(root, "dist"), () => !hasOtherFlags);
  load(join(root, "dist", "cli.cjs"))
    .main({
      runtime: `Node ${process.versions.node}`,
      self: [process.execPath, __filename],
      tuneForShortRun,
    })
    .then((exitCode) => {
      process.exitCode = exitCode;
    });
}
