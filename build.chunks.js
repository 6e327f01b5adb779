// Which modules share a file. Each dynamic import begins a file, and the bundler finds the modules that several files need.
// Without these groups it writes a file for each set of files that need the same modules: a command loads sixty of them, which
// costs as much as its packages.
import { resolve } from "node:path";

/** @typedef {import("rolldown").ChunkingContext} Context */

/** Files that must need a module for it to go with others of its part. */
const MIN_FILES = 6;

/** @type {ReadonlySet<string> | undefined} */
let ofMain;
/** @type {ReadonlySet<string> | undefined} */
let ofLibrary;

/** @param {string} id @param {Context} context */
function isOfMain(id, context) {
  ofMain ??= modulesFrom(["src/cli/main.ts"], context, false);
  return ofMain.has(id);
}

/** @param {string} id @param {Context} context */
function isOfLibrary(id, context) {
  ofLibrary ??= modulesFrom(["src/index.ts", "sandbox/index.ts"], context, true);
  return ofLibrary.has(id);
}

/** @param {string} id @param {Context} context */
const needsPackages = (id, context) =>
  [...modulesFrom([id], context, false)].some((each) => each.includes("node_modules"));

/** @param {readonly string[]} roots @param {Context} context @param {boolean} followsDynamicImports */
function modulesFrom(roots, context, followsDynamicImports) {
  const found = new Set(roots.map((root) => resolve(root)));
  for (const id of found) {
    const module = context.getModuleInfo(id);
    if (!module) throw new Error(`${id} is not a module of the build`);
    const imported = followsDynamicImports ? module.dynamicallyImportedIds : [];
    for (const next of [...module.importedIds, ...imported]) found.add(next);
  }
  return found;
}

/**
 * A group takes the imports of its modules along, so those below come first: the client and the sandbox load nothing of the
 * command line.
 *
 * @type {import("rolldown").CodeSplittingGroup[]}
 */
export const groups = [
  {
    name: (id, context) => (isOfMain(id, context) && isOfLibrary(id, context) ? "base" : null),
    debugName: "base",
    priority: 5,
  },
  { name: (id, context) => (isOfMain(id, context) ? "main" : null), debugName: "main", priority: 4 },
  { name: "domain", test: /src\/(domain|process)\//, minShareCount: MIN_FILES, priority: 3 },
  // Without what needs packages, such as typebox: only the commands that send a request load them.
  {
    name: (id, context) =>
      /src\/(client|contract)\//.test(id) && !needsPackages(id, context) ? "client" : null,
    debugName: "client",
    minShareCount: MIN_FILES,
    priority: 2,
  },
  { name: "cli", test: /src\/cli\//, minShareCount: MIN_FILES, priority: 1 },
];
