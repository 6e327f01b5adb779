// THIRD_PARTY_LICENSES: the packages in the bundles, by the bundler's own list of inputs, and their licences.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

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
 * Code of others inside packages, mostly compiled to WebAssembly. The bundler does not see it: look for it in a package before
 * you bundle it.
 *
 * @type {ReadonlyMap<string, readonly { readonly name: string, readonly text: string }[]>}
 */
const CODE_INSIDE = new Map([
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
 * @param {readonly import("esbuild").Metafile[]} metafiles
 * @returns {string} the text of THIRD_PARTY_LICENSES; packages with the same licence text share it
 */
export function thirdPartyLicenses(metafiles) {
  const notices = bundledFolders(metafiles).flatMap(noticesOf);
  /** @type {Map<string, Set<string>>} */
  const headingsByText = new Map();
  for (const { heading, text } of notices.sort(byHeading))
    headingsByText.set(text, new Set([...(headingsByText.get(text) ?? []), heading]));
  const sections = [...headingsByText].map(([text, headings]) => `${[...headings].join("\n")}\n\n${text}`);
  const head = "The files in dist/ contain code of these packages.";
  return `${[head, ...sections].join(`\n\n${"-".repeat(78)}\n\n`)}\n`;
}

/** @param {Notice} one @param {Notice} other */
const byHeading = (one, other) => (one.heading < other.heading ? -1 : 1);

/**
 * The folders of the packages that bytes of the bundles come from.
 * @param {readonly import("esbuild").Metafile[]} metafiles
 */
function bundledFolders(metafiles) {
  const inputs = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap((output) => Object.entries(output.inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  return [...new Set(inputs.filter((folder) => folder !== undefined))];
}

/**
 * @param {string} folder
 * @returns {Notice[]}
 */
function noticesOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8").replace(/\r\n?/g, "\n").trim());
  const text = texts.join("\n\n") || LICENSES_ELSEWHERE.get(name);
  if (!text) throw new Error(`${name} has no licence file: add its text to LICENSES_ELSEWHERE`);
  const inside = CODE_INSIDE.get(name) ?? [];
  return [
    { heading: `${name} ${version} (${license})`, text },
    ...inside.map((part) => ({ heading: `${name} ${version} contains ${part.name}`, text: part.text })),
  ];
}
