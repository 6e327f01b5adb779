// What undici gets of three modules of Node. They take 12 ms to load on Node 20, a tenth of a command that sends one request,
// and undici needs next to nothing of them.
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

/** @type {import("rolldown").Plugin} */
export const builtinsOfUndici = {
  name: "builtins-of-undici",
  resolveId: (id, importer) =>
    importer?.includes("/node_modules/undici/") && id in TEXTS ? `\0undici:${id}` : null,
  load: (id) => TEXTS[/^\0undici:(.+)$/s.exec(id)?.[1] ?? ""] ?? null,
};
