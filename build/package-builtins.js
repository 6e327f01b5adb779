// What packages get of modules of Node that take long to load, and of which they need next to nothing. Those of undici take
// 12 ms on Node 20, a tenth of a command that sends one request.
const HTTP = `
  // The option is for people who know that a service sends longer headers.
  const hasOption = /max-http-header-size/.test([...process.execArgv, process.env.NODE_OPTIONS].join(" "));
  // As a body, undici would destroy it in its own way; no body of ours is one.
  exports.IncomingMessage = class {};
  exports.maxHeaderSize = hasOption ? process.getBuiltinModule("node:http").maxHeaderSize : 16_384;
`;

const ASSERT = `
  const real = () => process.getBuiltinModule("node:assert");
  module.exports = (value, message) => {
    if (!value) real()(value, message);
  };
  module.exports.strictEqual = (actual, expected, message) => {
    if (!Object.is(actual, expected)) real().strictEqual(actual, expected, message);
  };
  module.exports.notStrictEqual = (actual, expected, message) => {
    if (Object.is(actual, expected)) real().notStrictEqual(actual, expected, message);
  };
  module.exports.equal = module.exports.strictEqual;
`;

// Nothing here turns HTTP/2 on.
const HTTP2 = 'module.exports = () => { throw new Error("HTTP/2 is off"); };';

// For programs that have their subcommands in other programs.
const CHILD_PROCESS =
  'exports.spawn = (...given) => process.getBuiltinModule("node:child_process").spawn(...given);';

/** @type {Readonly<Record<string, Readonly<Record<string, string>>>>} */
const TEXTS = {
  undici: { "node:http": HTTP, "node:assert": ASSERT, "./client-h2.js": HTTP2 },
  commander: { "node:child_process": CHILD_PROCESS },
};

/** @type {import("rolldown").Plugin} */
export const packageBuiltins = {
  name: "package-builtins",
  resolveId(id, importer) {
    const [, name = ""] = /\/node_modules\/([^/]+)\//.exec(importer ?? "") ?? [];
    return TEXTS[name]?.[id] === undefined ? null : `\0${name}:${id}`;
  },
  load(id) {
    const [, name = "", module = ""] = /^\0(\w+):(.+)$/s.exec(id) ?? [];
    return TEXTS[name]?.[module] ?? null;
  },
};
