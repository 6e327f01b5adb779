// THIRD_PARTY_LICENSES: the packages that the bundler took modules from, and their licences.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** @typedef {{ readonly heading: string, readonly text: string }} Notice */

const MIT_TERMS = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;

/** @param {string} copyright */
const mit = (copyright) => `The MIT License (MIT)\n\n${copyright}\n\n${MIT_TERMS}`;

/** Packages that leave out the licence file of their repository. */
const LICENSES_ELSEWHERE = new Map([["koa-compose", mit("Copyright (c) 2013 TJ Holowaychuk tj@apex.sh")]]);

/**
 * Code of others inside packages without a licence file, mostly compiled to WebAssembly. Look for it in a package before you
 * bundle it.
 *
 * @type {ReadonlyMap<string, readonly { readonly name: string, readonly text: string }[]>}
 */
const CODE_INSIDE = new Map([
  ["@fastify/busboy", [{ name: "streamsearch", text: mit("Copyright Brian White. All rights reserved.") }]],
  ["undici", [{ name: "llhttp", text: mit("Copyright Fedor Indutny, 2018.") }]],
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

/**
 * @param {readonly string[]} modules the paths of all modules in the bundles
 * @param {string} subject what contains them
 * @returns {string} the text of THIRD_PARTY_LICENSES; packages with the same licence text share it
 */
export function thirdPartyLicenses(modules, subject) {
  const ofPackages = modules.filter((path) => path.includes("node_modules/"));
  const folders = new Set(ofPackages.flatMap(foldersOf));
  const notices = [...folders].flatMap((folder) =>
    isPackage(folder) ? packageNotices(folder) : nestedNotices(folder),
  );
  /** @type {Map<string, Set<string>>} */
  const headingsByText = new Map();
  for (const { heading, text } of notices.sort(byHeading))
    headingsByText.set(text, new Set([...(headingsByText.get(text) ?? []), heading]));
  const sections = [...headingsByText].map(([text, headings]) => `${[...headings].join("\n")}\n\n${text}`);
  const head = `${subject} contains code of these packages.`;
  return `${[head, ...sections].join(`\n\n${"-".repeat(78)}\n\n`)}\n`;
}

/** @param {Notice} one @param {Notice} other */
const byHeading = (one, other) => (one.heading < other.heading ? -1 : 1);

const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/** @param {string} folder */
const isPackage = (folder) => PACKAGE.exec(folder)?.[0] === folder;

/**
 * The folders that a file is in, up to that of its package.
 * @param {string} path
 * @returns {string[]}
 */
function foldersOf(path) {
  const folder = dirname(path);
  return isPackage(folder) ? [folder] : [folder, ...foldersOf(folder)];
}

/** @param {string} folder */
const licenseText = (folder) =>
  readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .map((file) => readFileSync(join(folder, file), "utf8").replace(/\r\n?/g, "\n").trim())
    .join("\n\n");

/**
 * @param {string} folder
 * @returns {Notice[]}
 */
function packageNotices(folder) {
  const { name, version, license } = manifestOf(folder);
  const text = licenseText(folder) || LICENSES_ELSEWHERE.get(name);
  if (!text) throw new Error(`${name} has no licence file: add its text to LICENSES_ELSEWHERE`);
  const inside = CODE_INSIDE.get(name) ?? [];
  return [
    { heading: `${name} ${version} (${license})`, text },
    ...inside.map((part) => ({ heading: `${name} ${version} contains ${part.name}`, text: part.text })),
  ];
}

/**
 * A folder within a package can have a licence of its own.
 * @param {string} folder
 * @returns {Notice[]}
 */
function nestedNotices(folder) {
  const [root = ""] = PACKAGE.exec(folder) ?? [];
  const { name, version } = manifestOf(root);
  const text = licenseText(folder);
  return text === "" ? [] : [{ heading: `${name} ${version} contains ${relative(root, folder)}`, text }];
}

/** @param {string} folder */
const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
