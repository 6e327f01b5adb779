// What undici gets in place of modules that take long to load, and of which it needs next to nothing. They take 12 ms on
// Node 20, a tenth of a command that sends one request. No option of a bundler replaces a module for one package alone.
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

/** @type {Readonly<Record<string, string>>} */
const TEXTS = { "node:http": HTTP, "node:assert": ASSERT, "./client-h2.js": HTTP2 };

const PREFIX = "\0undici:";

/** @type {import("rolldown").Plugin} */
export const undiciModules = {
  name: "undici-modules",
  resolveId: (id, importer) =>
    importer?.includes("/node_modules/undici/") && Object.hasOwn(TEXTS, id) ? PREFIX + id : null,
  load: (id) => (id.startsWith(PREFIX) ? TEXTS[id.slice(PREFIX.length)] : null),
};
