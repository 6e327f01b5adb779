// The script of the signature lab as text, `import script from "virtual:lab-script"`: one file for a browser, with packages
// in place of node:buffer, node:crypto and node:zlib. Two builds are equal to the byte.
import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { thirdPartyLicenses } from "./licenses.js";
import { textFiles } from "./text-files.js";

const NAME = "virtual:lab-script";

/** The modules that it has code of. @type {Set<string>} */
export const labModules = new Set();

export const labScript = {
  name: "lab-script",
  resolveId: (/** @type {string} */ id) => (id === NAME ? `\0${NAME}` : null),
  load: async (/** @type {string} */ id) =>
    id === `\0${NAME}` ? `export default ${JSON.stringify(await buildLabScript())}` : null,
};

async function buildLabScript() {
  const { output } = await build({
    input: "src/pages/lab/start.js",
    platform: "browser",
    plugins: [textFiles],
    resolve: {
      alias: {
        "node:crypto": resolve("src/pages/lab/browser/crypto.ts"),
        "node:buffer": fileURLToPath(import.meta.resolve("buffer/index.js")),
      },
    },
    transform: { target: "es2022" },
    output: { format: "iife", name: "signatureLab", comments: false, minify: true },
    write: false,
  });
  for (const [id, { renderedLength }] of Object.entries(output[0].modules))
    if (renderedLength > 0) labModules.add(relative("", id));
  // ASCII: the page shows invisible characters as escapes, and its policy has the hash of the script.
  const code = output[0].code
    .trim()
    .replace(/[^\n\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
  if (/<\/script/i.test(code)) throw new Error("the script of the lab would end its element");
  const notice = thirdPartyLicenses([...labModules], "This script").replace(/[“”]/g, '"');
  return `/*!\n${notice}*/\n${code}`;
}
