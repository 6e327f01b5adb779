import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { OPERATIONS } from "../../../src/contract/operations/operations.ts";
import { ROOT } from "../../support/cli.ts";

const NODE = process.execPath;

/** The schemas of each operation by their paths: `clients.create.request.schema`. */
const SCHEMAS = Object.entries(OPERATIONS).flatMap(([noun, verbs]) =>
  Object.entries(verbs).flatMap(([verb, row]) =>
    ["params", "query", "request.schema", "response.schema"]
      .filter((part) => (part.split(".")[0] as string) in row)
      .map((part) => `${noun}.${verb}.${part}`),
  ),
);

/** Exits 2 if a type differs. A type that is `any` equals no other. */
function compile(statements: string): void {
  // In the tree, for its tsconfig.json and its packages.
  const folder = mkdtempSync(join(ROOT, "node_modules/.cache-declarations-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const equal = `
type Plain<T> = T extends object ? { [Name in keyof T]: Plain<T[Name]> } : T;
type Equal<A, B> = (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false;
`;
  writeFileSync(join(folder, "equal.ts"), `${equal}${statements}`);
  const settings = {
    extends: join(ROOT, "tsconfig.json"),
    include: ["equal.ts", join(ROOT, "src/text-modules.d.ts")],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  execFileSync(NODE, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", folder], { encoding: "utf8" });
}

const indexed = (path: string): string =>
  path
    .split(".")
    .map((name) => `[${JSON.stringify(name)}]`)
    .join("");

beforeAll(() => {
  execFileSync(NODE, ["build/declarations/generate.js"], { cwd: ROOT });
});

it("the declarations have the types that typebox infers from the schemas", { tags: "large" }, () => {
  expect(SCHEMAS.length).toBeGreaterThan(40);
  compile(`
import type { Static } from "typebox";
import type { operations } from ${JSON.stringify(join(ROOT, "dist/index.js"))};
import type { OPERATIONS } from ${JSON.stringify(join(ROOT, "src/contract/operations/operations.ts"))};
type Declared<S> = S extends { readonly "~value"?: infer Value } ? Value : never;
${SCHEMAS.map((path, index) => `export const row${index}: Equal<Declared<typeof operations${indexed(path)}>, Static<typeof OPERATIONS${indexed(path)}>> = true;`).join("\n")}
// @ts-expect-error a type that differs
export const different: Equal<Declared<typeof operations${indexed(SCHEMAS[0] ?? "")}>, { none: string }> = true;
`);
});

it("the declarations of the sandbox have the types of its source", { tags: "large" }, () => {
  const declarations = readFileSync(join(ROOT, "dist/sandbox.d.ts"), "utf8");
  const names = /^export type \{ (.*) \};$/m.exec(declarations)?.[1]?.split(", ") ?? [];
  const types = names.map((name) => (name === "WaitResult" ? "WaitResult<{ job: {} }>" : name));
  expect(names.length).toBeGreaterThan(30);
  compile(`
import type * as declared from ${JSON.stringify(join(ROOT, "dist/sandbox.js"))};
import type * as source from ${JSON.stringify(join(ROOT, "sandbox/index.ts"))};
${types.map((type, index) => `export const type${index}: Equal<declared.${type}, source.${type}> = true;`).join("\n")}
// @ts-expect-error a type that differs
export const different: Equal<declared.${names[0]}, { none: string }> = true;
`);
});
