// Files that are imported as text, `import style from "./style.css?text"`, by the bundle and by the tests. The module types of
// rolldown go by the extension, and refresh.js is text; rolldown has no `?raw` of Vite.
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

const SUFFIX = "?text";

export const textFiles = {
  name: "text-files",
  resolveId: (/** @type {string} */ id, /** @type {string | undefined} */ importer) =>
    id.endsWith(SUFFIX) && importer !== undefined
      ? `\0text:${resolve(dirname(importer), id.slice(0, -SUFFIX.length))}.text`
      : null,
  load(/** @type {string} */ id) {
    const [, path] = /^\0text:(.+)\.text$/.exec(id) ?? [];
    return path === undefined ? null : `export default ${JSON.stringify(readFileSync(path, "utf8"))}`;
  },
};
