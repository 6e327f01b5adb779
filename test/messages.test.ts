import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseAst } from "vitest/node";

const ROOT = join(import.meta.dirname, "..");

/** Whether a text has several words. Values of a template are `{}`. */
const isSentence = (text: string) => /\p{L}{2,}[^\p{L}\p{N}]+\p{L}{2,}/u.test(text) && /[ :]/.test(text);

interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

function* collectTexts(node: Node): Generator<string> {
  if (node.type === "Literal" && typeof node.value === "string") yield node.value;
  if (node.type === "TemplateLiteral") {
    yield (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join("{}");
  }
  for (const [name, member] of Object.entries(node)) {
    if (name === "source") continue;
    for (const child of [member].flat()) if (isNode(child)) yield* collectTexts(child);
  }
}

function listMessages(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .sort()
    .flatMap((name) => {
      const program = parseAst(readFileSync(join(ROOT, folder, name), "utf8"), { lang: "ts" });
      const sentences = [...new Set(collectTexts(program as unknown as Node))].filter(isSentence);
      return sentences.length > 0
        ? [`\n# ${folder}/${name}`, ...sentences.map((text) => JSON.stringify(text))]
        : [];
    });
}

it("test/messages.txt lists every message of the command line", async () => {
  const messages = [...listMessages("src/cli"), ...listMessages("src/client"), ...listMessages("src/domain")];
  await expect(`${messages.join("\n").trim()}\n`).toMatchFileSnapshot("messages.txt");
});
