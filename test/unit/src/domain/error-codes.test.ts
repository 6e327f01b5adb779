import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAst } from "vitest/node";
import { ERROR_CODES } from "../../../../src/domain/error-codes.ts";
import { ROOT } from "../../../support/cli.ts";

interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

function* walkNodes(node: Node): Generator<Node> {
  yield node;
  for (const member of Object.values(node))
    for (const child of [member].flat()) if (isNode(child)) yield* walkNodes(child);
}

const files = ["src", "sandbox"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith("error-codes.ts"))
    .map((name) => readFileSync(join(ROOT, folder, name), "utf8")),
);

const textOf = (node: unknown): string | undefined =>
  isNode(node) && node.type === "Literal" ? String(node.value) : undefined;

describe("ERROR_CODES", () => {
  it("has the code of every ClaimsError in the code, under its kind", () => {
    const errors = files
      .filter((text) => text.includes("new ClaimsError"))
      .flatMap((text) => [...walkNodes(parseAst(text, { lang: "ts" }) as unknown as Node)])
      .filter(({ type, callee }) => type === "NewExpression" && (callee as Node).name === "ClaimsError")
      .map((node) => (node.arguments as unknown[]).slice(0, 2).map(textOf));
    expect(errors.length).toBeGreaterThan(5);
    for (const [kind, code] of errors)
      if (kind !== undefined && code !== undefined)
        expect(ERROR_CODES, `${kind} ${code}`).toHaveProperty([kind, code]);
  });

  it("has no unused code", () => {
    const code = files.join("\n");
    // Codes with a computed suffix, such as `invalid_${…}`.
    const prefixes = [...code.matchAll(/`([a-z]+_)\$\{/g)].map(([, prefix = ""]) => prefix);
    const unused = Object.values(ERROR_CODES)
      .flatMap((codes) => Object.keys(codes))
      .filter((name) => !code.includes(`"${name}"`) && !prefixes.some((prefix) => name.startsWith(prefix)));
    expect(unused).toEqual([]);
  });
});
