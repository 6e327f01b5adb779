import { describe, expect, it } from "vitest";
import { BROKER_ALIASES } from "../../../../src/contract/aliases.ts";
import { listAssumptions } from "../../../../src/contract/assumptions.ts";
import { getContract } from "../../../../src/contract/openapi.ts";

type Labelled = { readonly "x-basis": string };
interface Described extends Labelled {
  readonly responses: Readonly<Record<string, { readonly headers: object }>>;
}
type PathItem = Labelled & { readonly [Method in "get" | "post" | "put"]?: Described };
const paths = getContract().document.paths as unknown as Record<string, PathItem>;
const methodsOf = ({ get, post, put }: PathItem) =>
  Object.entries({ get, post, put }).filter(([, one]) => one);
const methodOf = (path: string, method: string) =>
  methodsOf(paths[path] as PathItem).find(([name]) => name === method)?.[1];

describe("listAssumptions", () => {
  it("contains every part of the document with the label assumed", () => {
    const listed = new Set(
      listAssumptions().flatMap(({ subject, source }) => [
        `${subject}: ${source}`,
        `${subject.replace(/:.*/, "").replace(/^.*[.\]]/, "")}: ${source}`,
      ]),
    );
    const missing = new Set<string>();
    const visit = (value: unknown, key: string) => {
      if (typeof value !== "object" || value === null) return;
      const node = value as Record<string, unknown>;
      const { name = key, rule = name } = node;
      // The list has other names for methods and responses. The tests of aliases and problems cover them.
      const isNamed = !("responses" in node) && !/^(\d{3}|2XX|x-status)$/.test(key) && node.type !== "http";
      if (node["x-basis"] === "assumed" && isNamed && !listed.has(`${rule}: ${node["x-source"]}`))
        missing.add(`${rule}: ${node["x-source"]}`);
      for (const [name, inner] of Object.entries(node)) visit(inner, name);
    };
    visit(getContract().document, "");
    expect([...missing]).toEqual([]);
  });

  it("contains every response header of the document, except the three documented headers of aliases", () => {
    const listed = listAssumptions().flatMap(({ kind, subject }) =>
      kind === "header" ? [subject.replace(/:.*/, "")] : [],
    );
    const responses = Object.values(paths).flatMap((item) =>
      methodsOf(item).flatMap(([, method]) => Object.values(method?.responses ?? {})),
    );
    const described = new Set(responses.flatMap(({ headers }) => Object.keys(headers)));
    expect([...described].filter((name) => !name.startsWith("X-Service-")).sort()).toEqual(
      [...new Set(listed)].sort(),
    );
  });
});

describe("the labels of aliases", () => {
  const aliasMethods = BROKER_ALIASES.flatMap(({ path, canonicalPath }) =>
    methodsOf(paths[path] as PathItem).map(([method]) => ({ path, canonicalPath, method })),
  );

  it("mark the path of every alias and its canonical path as documented", () => {
    expect(aliasMethods).toHaveLength(19);
    for (const { path, canonicalPath } of aliasMethods)
      expect([paths[path]?.["x-basis"], paths[canonicalPath]?.["x-basis"]]).toEqual([
        "documented",
        "documented",
      ]);
  });

  // §4 Webhooks documents the canonical route of this alias; the alias table does not give the method of the alias.
  const known = aliasMethods.filter(({ path }) => path !== "/broker/v1/webhooks/register");

  it.each(known)(
    "give $method $path the label of its canonical operation",
    ({ path, canonicalPath, method }) => {
      const canonical = methodOf(canonicalPath, method) ?? methodOf(canonicalPath, "put");
      expect(methodOf(path, method)?.["x-basis"]).toBe(canonical?.["x-basis"]);
    },
  );

  it("mark a method as documented only when the alias table names it", () => {
    const labelOf = (path: string, method: string) => methodOf(`/broker/${path}`, method)?.["x-basis"];
    expect(labelOf("v1/webhooks/register", "post")).toBe("assumed");
    expect(labelOf("v1/onboard", "post")).toBe("assumed");
    expect(labelOf("v1/portfolio/scan", "post")).toBe("assumed");
    expect(labelOf("v1/portfolio/scan/{scanId}", "get")).toBe("documented");
    expect(labelOf("v1/clients", "post")).toBe("documented");
    expect(labelOf("v1/revenue/ledger", "get")).toBe("documented");
    expect(labelOf("v1/litigation/enroll", "post")).toBe("documented");
  });
});
