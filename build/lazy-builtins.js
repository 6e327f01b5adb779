// Modules of Node that many files import and few commands use. A bundle requires at its start what it imports. Here the first use
// requires it, which saves 4 ms of `--help` and of an offline command on Node 20.
const SLOW = ["child_process", "crypto", "dns", "fs/promises", "http", "readline", "stream/promises", "zlib"];

/** `let node_crypto = require("node:crypto");`, as rolldown writes it. */
const IMPORT = new RegExp(`^let (node_\\w+) = require\\("node:(${SLOW.join("|")})"\\);$`, "gm");

/** @type {import("rolldown").Plugin} */
export const lazyBuiltins = {
  name: "lazy-builtins",
  renderChunk(code) {
    const names = [...code.matchAll(IMPORT)]
      .map(([, name = ""]) => name)
      // A default import changes it at the start.
      .filter((name) => !code.includes(`${name} = require_`));
    return names.reduce(
      (text, name) =>
        text
          .replaceAll(new RegExp(`\\b${name}\\.(?=\\w)`, "g"), `${name}.module.`)
          .replace(
            new RegExp(`^let ${name} = (require\\(.*\\));$`, "m"),
            `const ${name} = { get module() { Object.defineProperty(this, "module", { value: $1 }); return this.module; } };`,
          ),
      code,
    );
  },
};

/** Commander needs it for programs that have their subcommands in other programs. @type {import("rolldown").Plugin} */
export const childProcessOfCommander = {
  name: "child-process-of-commander",
  resolveId: (id, importer) =>
    id === "node:child_process" && importer?.includes("/node_modules/commander/")
      ? "\0commander:spawn"
      : null,
  load: (id) =>
    id === "\0commander:spawn"
      ? 'exports.spawn = (...given) => process.getBuiltinModule("node:child_process").spawn(...given);'
      : null,
};
