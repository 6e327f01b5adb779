// The build. All of it is CommonJS inside, which starts sooner than ES modules; the two library faces get an ES module
// each that hands the same objects on. What is imported dynamically and listed below becomes a file of its own, so that
// a command loads only what it runs. typebox is a dependency only because the shipped declarations speak of its types.
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { build } from "esbuild";

/** File in dist → what it is made from. */
const FILES = {
  cli: "src/cli/main.ts",
  index: "src/index.ts",
  "commands-auth": "src/cli/commands/auth/index.ts",
  "commands-profiles": "src/cli/commands/profiles/index.ts",
  "commands-diligence": "src/cli/commands/diligence/index.ts",
  "commands-webhooks": "src/cli/commands/webhooks/index.ts",
  "commands-clients": "src/cli/commands/clients/index.ts",
  "commands-claims": "src/cli/commands/claims/index.ts",
  "commands-offers": "src/cli/commands/offers/index.ts",
  "commands-litigation": "src/cli/commands/litigation/index.ts",
  "commands-revenue": "src/cli/commands/revenue/index.ts",
  "commands-scans": "src/cli/commands/scans/index.ts",
  "commands-orgs": "src/cli/commands/orgs/index.ts",
  "commands-notifications": "src/cli/commands/notifications/index.ts",
  "commands-aliases": "src/cli/commands/aliases/index.ts",
  "commands-contract": "src/cli/commands/contract/index.ts",
  "commands-sandbox": "src/cli/commands/sandbox/index.ts",
  sandbox: "sandbox/index.ts",
  signature: "src/signature.ts",
  "schema-errors": "sandbox/http/schema-errors.ts",
  multipart: "src/client/multipart.ts",
  "proxied-line": "src/client/proxied-line.ts",
  "webhook-post": "sandbox/engine/webhooks/post.ts",
  assess: "src/cli/commands/diligence/assess-file.ts",
  "scenario-files": "src/cli/commands/sandbox/scenario-files.ts",
  batch: "src/cli/commands/diligence/batch/run.ts",
  blocks: "src/cli/output/blocks.ts",
  "signature-lab": "src/cli/commands/webhooks/lab.ts",
  "webhook-traffic": "src/cli/commands/webhooks/traffic.ts",
  contract: "src/cli/commands/contract/documents.ts",
  "help-texts": "src/cli/help-texts.ts",
  completion: "src/cli/completion/index.ts",
  doctor: "src/cli/doctor/index.ts",
  spinner: "src/cli/spinner.ts",
  conf: "src/cli/config/conf.ts",
  sql: "sql.js/dist/sql-wasm-inline.js",
  busboy: "@fastify/busboy",
};

/** The faces of `exports` in package.json, and where their declarations are. */
const FACES = { index: "src/index", sandbox: "sandbox/index", signature: "src/signature" };

const fileOf = new Map(
  Object.entries(FILES).map(([file, source]) => [
    source.endsWith(".ts") ? resolve(source) : source,
    `./${file}.cjs`,
  ]),
);

/** @type {import("esbuild").Plugin} */
const splitAtDynamicImports = {
  name: "split-at-dynamic-imports",
  setup({ onResolve }) {
    onResolve({ filter: /.*/ }, ({ path, kind, resolveDir }) => {
      if (kind !== "dynamic-import") return undefined;
      const file = fileOf.get(path.startsWith(".") ? resolve(resolveDir, path) : path);
      return file ? { path: file, external: true } : undefined;
    });
  },
};

// A host's test suite may fake its timers, those of node:timers among them: what is bundled takes those that there were
// when the first of our files was loaded.
const KEPT_TIMERS = `"use strict";
const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } = require("node:timers");
module.exports = {
  ...{ setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate },
  promises: { ...require("node:timers/promises") },
};
`;

/** @type {import("esbuild").Plugin} */
const keepTimers = {
  name: "keep-timers",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?timers$/ }, () => ({
      path: "./timers.cjs",
      external: true,
      sideEffects: false,
    }));
    onResolve({ filter: /^((node:)?timers\/promises|kept-globals)$/ }, ({ path }) => ({
      path: path.replace(/^node:/, ""),
      namespace: "kept",
      sideEffects: false,
    }));
    onLoad({ filter: /^timers\/promises$/, namespace: "kept" }, () => ({
      contents: 'module.exports = require("node:timers").promises;',
    }));
    // The globals, which the packages that we bundle use. jest fakes these two before it loads anything, if it is told to:
    // promises do the same and are nobody's to fake.
    onLoad({ filter: /^kept-globals$/, namespace: "kept" }, () => ({
      contents: `
        import { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } from "node:timers";
        const queueMicrotask = (work) => void Promise.resolve().then(work);
        const nextTick = (work, ...given) => void Promise.resolve().then(() => work(...given));
        export { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate };
        export { queueMicrotask, nextTick as "process.nextTick" };`,
    }));
  },
};

// undici's index loads fetch, WebSocket, caches and mocks; an Agent that sends requests, and the connector
// that it makes connections with, need none of them.
/** @type {import("esbuild").Plugin} */
const slimUndici = {
  name: "slim-undici",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: "undici", namespace: "slim" }));
    onLoad({ filter: /.*/, namespace: "slim" }, () => ({
      resolveDir: ".",
      contents: `
        import Agent from "undici/lib/dispatcher/agent.js";
        import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
        import api from "undici/lib/api/index.js";
        import buildConnector from "undici/lib/core/connect.js";
        Object.assign(Dispatcher.prototype, api);
        export { Agent, buildConnector };`,
    }));
  },
};

/** The media types that the API speaks, of the 2,500 that Koa and form-data bring along. */
const SPOKEN =
  /^(application\/(json|problem\+json|x-ndjson|octet-stream|x-www-form-urlencoded)|multipart\/form-data|text\/(csv|plain|html))$/;

/** @type {import("esbuild").Plugin} */
const slimMimeDb = {
  name: "slim-mime-db",
  setup({ onLoad }) {
    const require = createRequire(import.meta.url);
    onLoad({ filter: /mime-db[/\\]db\.json$/ }, ({ path }) => ({
      loader: "json",
      contents: JSON.stringify(
        Object.fromEntries(Object.entries(require(path)).filter(([type]) => SPOKEN.test(type))),
      ),
    }));
  },
};

// conf stores one file for us: it compiles no schema, migrates nothing and watches nothing. And when-exit would turn the
// first Ctrl-C of any command that has read a profile into a second one.
/** @type {import("esbuild").Plugin} */
const slimConf = {
  name: "slim-conf",
  setup({ onResolve, onLoad }) {
    const idle = /^(ajv\/dist\/2020\.js|ajv-formats|debounce-fn|env-paths|semver|when-exit)$/;
    onResolve({ filter: idle }, ({ path, importer }) =>
      /node_modules[/\\](conf|atomically)[/\\]/.test(importer) ? { path, namespace: "idle" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "idle" }, () => ({
      contents: "export default () => {}; export const Ajv2020 = null;",
    }));
  },
};

await rm("dist/types", { recursive: true, force: true });
const { outputFiles } = await build({
  entryPoints: FILES,
  outdir: "dist",
  outExtension: { ".js": ".cjs" },
  bundle: true,
  minify: true,
  format: "cjs",
  platform: "node",
  target: "node20.19",
  // import() of a CommonJS file would scan its whole text for export names.
  supported: { "dynamic-import": false },
  legalComments: "none",
  loader: { ".sql": "text" },
  inject: ["kept-globals"],
  plugins: [keepTimers, splitAtDynamicImports, slimUndici, slimMimeDb, slimConf],
  write: false,
  logLevel: "warning",
});

// Node's own modules cost up to 2 ms each and most commands use few of them: in the files of short commands each is
// loaded when something of it is first used.
/** @param {string} text */
const lazily = (text) =>
  `"use strict";const lazy=name=>new Proxy({},{get:(_,key)=>require(name)[key]});${text.replaceAll(/require\((?="(node:|\.\/timers\.cjs))/g, "lazy(")}`;

await mkdir("dist", { recursive: true });
for (const { path, text, contents } of outputFiles) {
  await writeFile(
    path,
    /(cli|commands-\w+|assess|completion|conf|doctor|signature-lab)\.cjs$/.test(path)
      ? lazily(text)
      : contents,
  );
}

await writeFile("dist/timers.cjs", KEPT_TIMERS);

const require = createRequire(import.meta.url);
for (const [face, types] of Object.entries(FACES)) {
  const given = Object.entries(require(`./dist/${face}.cjs`));
  const names = given.map(([name]) => name).join(", ");
  const text = `import { createRequire } from "node:module";\nexport const { ${names} } = createRequire(import.meta.url)("./${face}.cjs");\n`;
  await writeFile(`dist/${face}.js`, text);
  // The same for require(): to a CommonJS file of theirs, TypeScript before 5.8 and `module: node16` refuse the others.
  const esm = `"./types/${types}.d.ts" with { "resolution-mode": "import" }`;
  const declared = given.map(([name, value]) => {
    const alsoType = /^class\b/.test(String(value)) ? `export type ${name} = esm.${name};\n` : "";
    return `export declare const ${name}: typeof esm.${name};\n${alsoType}`;
  });
  await writeFile(
    `dist/${face}.d.cts`,
    `import type * as esm from ${esm};\nexport type * from ${esm};\n${declared.join("")}`,
  );
}

// What an earlier build has left goes last, so that a program that runs meanwhile finds its files.
const made = new Set([
  ...Object.keys(FILES).map((file) => `${file}.cjs`),
  ...Object.keys(FACES).flatMap((face) => [`${face}.js`, `${face}.d.cts`]),
  "timers.cjs",
]);
for (const name of await readdir("dist")) if (!made.has(name)) await rm(`dist/${name}`, { recursive: true });
