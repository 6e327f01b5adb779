import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { writeOutSchemas } from "../../../build/declarations/contract.js";
import { declareTypes, type Schema } from "../../../build/type-printer.js";
import { OPERATIONS } from "../../../src/contract/operations/operations.ts";
import { ROOT } from "../../support/cli.ts";

/** Each schema of a request or a response: the name of its type, and the expression for it. */
const SHAPES = Object.entries(OPERATIONS).flatMap(([noun, verbs]) =>
  Object.entries(verbs).flatMap(([verb, row]: [string, { query?: object; request?: { schema: object } }]) =>
    [
      { part: "query", schema: row.query },
      { part: "request.schema", schema: row.request?.schema },
      { part: "response.schema", schema: (row as { response?: { schema: object } }).response?.schema },
    ].flatMap(({ part, schema }) =>
      schema
        ? [{ name: `${noun}_${verb}_${part.split(".")[0]}`, at: `${noun}.${verb}.${part}`, schema }]
        : [],
    ),
  ),
);

it("a written-out type equals the type that TypeScript infers from the schema", { tags: "large" }, () => {
  expect(SHAPES.length).toBeGreaterThan(40);
  const { declarations } = declareTypes(
    new Map(SHAPES.map(({ name, schema }) => [name, schema as Schema])),
    "doc",
  );
  // In the tree, for its tsconfig.json and its packages.
  const folder = mkdtempSync(join(ROOT, "node_modules/.cache-declarations-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(
    join(folder, "equal.ts"),
    `import type { Static } from "typebox";
import type { OPERATIONS } from ${JSON.stringify(join(ROOT, "src/contract/operations/operations.ts"))};
type Rows = typeof OPERATIONS;
type Equal<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
${[...declarations.values()].map((declaration) => `${declaration};`).join("\n")}
${SHAPES.map(({ name, at }) => `export const ${name}: Equal<${name}, Static<Rows${indexed(at)}>> = true;`).join("\n")}
// @ts-expect-error a type that differs
export const different: Equal<${SHAPES[0]?.name}, { none: string }> = true;
`,
  );
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: join(ROOT, "tsconfig.json"), include: ["equal.ts"] }),
  );
  execFileSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", folder]);
});

const indexed = (path: string) =>
  path
    .split(".")
    .map((name) => `[${JSON.stringify(name)}]`)
    .join("");

it("leaves a module without schemas as it is, and needs a declaration for each schema", () => {
  const text = "export declare const limit: number;\n";
  expect(writeOutSchemas(text, { limit: 5 })).toBe(text);
  expect(() => writeOutSchemas(text, { job: OPERATIONS.diligence.status.response.schema })).toThrow("job");
});
