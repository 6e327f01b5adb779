// Modules of Node that many files import and few commands use. A bundle requires at its start what it imports. Here the first use
// requires it, which saves 4 ms of `--help` and of an offline command on Node 20.
const LAZY_MODULES = ["crypto", "dns", "fs/promises", "http", "readline", "stream/promises", "zlib"];

/** `let node_crypto = require("node:crypto");`, as rolldown writes it. */
const REQUIRE_STATEMENT = new RegExp(
  `^let (node_\\w+) = (require\\("node:(?:${LAZY_MODULES.join("|")})"\\));$`,
  "gm",
);

/** @type {import("rolldown").Plugin} */
export const lazyBuiltins = {
  name: "lazy-builtins",
  renderChunk(code) {
    const names = [...code.matchAll(REQUIRE_STATEMENT)]
      .map(([, name = ""]) => name)
      // Rolldown assigns the variable again for a default import.
      .filter((name) => !new RegExp(`^${name} = `, "m").test(code));
    const used = names.reduce(
      (text, name) => text.replaceAll(new RegExp(`\\b${name}\\.(?=\\w)`, "g"), `${name}.module.`),
      code,
    );
    return used.replaceAll(REQUIRE_STATEMENT, (statement, name, require) => {
      if (!names.includes(name)) return statement;
      if (used.split(new RegExp(`\\b${name}\\b(?!\\.module\\.)`)).length > 2)
        this.error(`${name} is used in another way than by its members`);
      return `const ${name} = { get module() { Object.defineProperty(this, "module", { value: ${require} }); return this.module; } };`;
    });
  },
};
