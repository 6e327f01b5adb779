// THIRD_PARTY_LICENSES: the packages that the bundler took modules from, and their licences. rollup-plugin-license finds the
// packages and their texts. The tables have what it does not find: the licence of koa-body, below which it takes another
// package.json for that of the package, and code of others inside a package. test/package.test.ts finds a folder that is missing.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import plugin from "rollup-plugin-license";

/** @typedef {import("rollup-plugin-license").Dependency} Dependency */

// Its types say that it is an ES module.
const license = /** @type {typeof plugin.default} */ (/** @type {unknown} */ (plugin));

const MIT_TERMS = readFileSync("LICENSE", "utf8")
  .replace(/^.*?(?=Permission)/s, "")
  .trim();

/** @param {string} copyright */
const mit = (copyright) => `The MIT License (MIT)\n\n${copyright}\n\n${MIT_TERMS}`;

/** @param {string} path below node_modules */
const readLicense = (path) => readFileSync(resolve("node_modules", path), "utf8");

/** @type {ReadonlyMap<string | null, string>} Packages whose licence, MIT, is not next to their package.json. */
const MIT_ELSEWHERE = new Map([
  ["koa-body", readLicense("koa-body/LICENSE")],
  ["koa-compose", mit("Copyright (c) 2013 TJ Holowaychuk tj@apex.sh")],
]);

/**
 * Code of others inside packages, mostly compiled to WebAssembly. Look for it in a package before you bundle it.
 *
 * @type {ReadonlyMap<string | null, readonly { readonly name: string, readonly text: string }[]>}
 */
const CODE_INSIDE = new Map([
  [
    "@fastify/busboy",
    [
      { name: "deps/dicer", text: readLicense("@fastify/busboy/deps/dicer/LICENSE").trim() },
      { name: "streamsearch", text: mit("Copyright Brian White. All rights reserved.") },
    ],
  ],
  [
    "undici",
    [
      { name: "lib/web/fetch", text: readLicense("undici/lib/web/fetch/LICENSE").trim() },
      { name: "llhttp", text: mit("Copyright Fedor Indutny, 2018.") },
    ],
  ],
  [
    "sql.js",
    [
      {
        name: "SQLite, and its extension-functions.c",
        text: "The authors disclaim copyright to this source code: it is in the public domain.",
      },
      {
        name: "the runtime of Emscripten",
        text: mit("Copyright (c) 2010-2014 Emscripten authors, see AUTHORS file."),
      },
      { name: "musl", text: mit("Copyright © 2005-2020 Rich Felker, et al.") },
    ],
  ],
]);

/** One instance for all bundles: it writes the packages of all. */
export const thirdPartyLicenses = license({
  sourcemap: false,
  thirdParty: {
    multipleVersions: true,
    output: { file: resolve("THIRD_PARTY_LICENSES"), template: renderLicenses },
  },
});

/** @param {readonly Dependency[]} packages @returns {string} packages with the same text share it */
function renderLicenses(packages) {
  const notices = packages.flatMap(({ name, version, license: id, licenseText, noticeText }) => {
    const texts = [licenseText ?? MIT_ELSEWHERE.get(name), noticeText];
    const text = texts.flatMap((each) => each?.replace(/\r\n?/g, "\n").trim() || []).join("\n\n");
    if (text === "") throw new Error(`${name} has no licence file: add its text to MIT_ELSEWHERE`);
    const inside = CODE_INSIDE.get(name) ?? [];
    return [
      { heading: `${name} ${version} (${id ?? "MIT"})`, text },
      ...inside.map((part) => ({ heading: `${name} ${version} contains ${part.name}`, text: part.text })),
    ];
  });
  notices.sort((one, other) => (one.heading < other.heading ? -1 : 1));
  /** @type {Map<string, string[]>} */
  const headingsByText = new Map();
  for (const { heading, text } of notices)
    headingsByText.set(text, [...(headingsByText.get(text) ?? []), heading]);
  const sections = [...headingsByText].map(([text, headings]) => `${headings.join("\n")}\n\n${text}`);
  const head = "The folder dist/ contains code of these packages.";
  return [head, ...sections].join(`\n\n${"-".repeat(78)}\n\n`);
}
