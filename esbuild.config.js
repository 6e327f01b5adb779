// The build. The programs and what require() gets are CommonJS, which starts sooner than ES modules; what import gets is in
// esbuild.library.js. What is imported dynamically and listed below becomes a file of its own, so that a command loads only
// what it runs. typebox is a dependency only because the shipped declarations speak of its types.
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, resolve } from "node:path";
import { build } from "esbuild";
import { KEPT_GLOBALS, keepGlobals, TIMER_FILES } from "./esbuild.globals.js";
import { libraryBuilds, libraryFiles } from "./esbuild.library.js";
import { thirdPartyLicenses } from "./esbuild.licenses.js";

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
  "schema-errors": "sandbox/wire/schema-errors.ts",
  multipart: "src/client/http/multipart.ts",
  "proxied-line": "src/client/http/proxy-connection.ts",
  "webhook-post": "sandbox/engine/webhooks/webhook-sender.ts",
  assess: "src/cli/commands/diligence/check/assess-file.ts",
  "scenario-files": "src/cli/commands/sandbox/scenario-files.ts",
  batch: "src/cli/commands/diligence/batch/run-batch.ts",
  blocks: "src/cli/output/blocks.ts",
  "signature-lab": "src/cli/commands/webhooks/lab.ts",
  "webhook-traffic": "src/cli/commands/webhooks/traffic.ts",
  contract: "src/cli/commands/contract/documents.ts",
  "help-texts": "src/cli/framework/help-texts.ts",
  completion: "src/cli/completion/index.ts",
  doctor: "src/cli/doctor/run-checks.ts",
  spinner: "src/cli/output/spinner.ts",
  conf: "src/cli/connection/conf.ts",
  sql: "sql.js/dist/sql-wasm-inline.js",
  busboy: "@fastify/busboy",
};

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

/** @type {import("esbuild").BuildOptions} */
const programs = {
  entryPoints: FILES,
  outExtension: { ".js": ".cjs" },
  minify: true,
  format: "cjs",
  platform: "node",
  // import() of a CommonJS file would scan its whole text for export names.
  supported: { "dynamic-import": false },
  loader: { ".sql": "text" },
  inject: [KEPT_GLOBALS],
  plugins: [keepGlobals(".cjs"), splitAtDynamicImports, slimUndici, slimMimeDb, slimConf],
};

const built = await Promise.all(
  [programs, ...libraryBuilds([slimUndici, slimMimeDb])].map((options) =>
    build({
      ...options,
      outdir: "dist",
      bundle: true,
      target: "node20.19",
      legalComments: "none",
      logLevel: "warning",
      metafile: true,
      write: false,
    }),
  ),
);

// Node's own modules cost up to 2 ms each and most commands use few of them: in the files of short commands each is
// loaded when something of it is first used.
/** @param {string} text */
const lazily = (text) =>
  `"use strict";const lazy=name=>new Proxy({},{get:(_,key)=>require(name)[key]});${text.replaceAll(/require\((?="(node:|\.\/timers\.cjs))/g, "lazy(")}`;

await rm("dist/types", { recursive: true, force: true });
await mkdir("dist", { recursive: true });
const made = new Set();
/** @param {string} name @param {string | Uint8Array} content */
const write = (name, content) => {
  made.add(name);
  return writeFile(`dist/${name}`, content);
};

for (const { path, text, contents } of built.flatMap(({ outputFiles }) => outputFiles)) {
  const isOfShortCommand = /(cli|commands-\w+|assess|completion|conf|doctor|signature-lab)\.cjs$/.test(path);
  await write(basename(path), isOfShortCommand ? lazily(text) : contents);
}

for (const [name, text] of Object.entries(TIMER_FILES)) await write(name, text);
for (const [name, text] of libraryFiles()) await write(name, text);

const metafiles = built.map(({ metafile }) => metafile);
await writeFile("THIRD_PARTY_LICENSES", thirdPartyLicenses(metafiles));
// A test compares the licences with it; it is not shipped.
await write("metafiles.json", JSON.stringify(metafiles));

// What an earlier build has left goes last, so that a program that runs meanwhile finds its files.
for (const name of await readdir("dist")) if (!made.has(name)) await rm(`dist/${name}`, { recursive: true });
