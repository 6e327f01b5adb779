import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { findAliases } from "../../../../src/contract/aliases.ts";
import { listAssumptions } from "../../../../src/contract/assumptions.ts";
import { hashContract } from "../../../../src/contract/hash.ts";
import { getContract } from "../../../../src/contract/openapi.ts";
import { ALL_OPERATIONS } from "../../../../src/contract/operations/operations.ts";
import { ROOT, temporaryFile } from "../../../support/cli.ts";
import { sandboxForTest } from "../../../support/sandbox.ts";
import { post } from "../../../support/sandbox-requests.ts";

const { document, hash } = getContract();

/** Every schema field, parameter, response and operation of the document, with the path to it. */
function* listLabelledParts(value: unknown, path: string): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== "object" || value === null) return;
  const node = value as Record<string, unknown>;
  for (const [name, field] of Object.entries(
    (node.properties ?? {}) as Record<string, Record<string, unknown>>,
  )) {
    yield [`${path}.${name}`, field];
  }
  if ("responses" in node) yield [path, node];
  if ("in" in node && "name" in node) yield [path, node];
  for (const [name, header] of Object.entries(
    ("content" in node ? (node.headers ?? {}) : {}) as Record<string, Record<string, unknown>>,
  )) {
    yield [`${path}:${name}`, header];
  }
  for (const [name, inner] of Object.entries(node)) yield* listLabelledParts(inner, `${path}/${name}`);
}

describe("the OpenAPI document", () => {
  it("passes an external linter", { tags: "large" }, async () => {
    const file = temporaryFile("openapi.json", JSON.stringify(document));
    const redocly = join(ROOT, "node_modules", ".bin", "redocly");
    const { stdout, stderr } = await promisify(execFile)(redocly, ["lint", "--format=json", file]);
    expect(JSON.parse(stdout.slice(stdout.indexOf("{"))).totals, stderr).toMatchObject({
      errors: 0,
      warnings: 0,
    });
  });

  it("labels every operation, field, parameter and behaviour as documented or assumed, with its source", () => {
    const parts = [...listLabelledParts(document, "")];
    expect(parts.length).toBeGreaterThan(100);
    for (const [path, part] of parts) {
      expect(part["x-basis"], path).toMatch(/^(documented|assumed)$/);
      expect(part["x-source"], path).toMatch(/^§\d/);
    }
    for (const { id, behaviours } of ALL_OPERATIONS) {
      for (const behaviour of behaviours)
        expect(behaviour.source, `${id}: ${behaviour.rule}`).toMatch(/^§\d/);
    }
  });

  it("labels only 202 of diligence.submit as a documented success status (interface §7)", () => {
    const documented = ALL_OPERATIONS.filter(({ id }) =>
      listAssumptions().every(({ operation, kind }) => operation !== id || kind !== "response"),
    );
    expect(documented.map(({ id, response }) => [id, response.status])).toEqual([["diligence.submit", 202]]);
  });

  it("contains every canonical, legacy and alias path of the contract table once", () => {
    const paths = ALL_OPERATIONS.flatMap(({ id, path, legacyPath }) => [
      path,
      ...(legacyPath ? [legacyPath] : []),
      ...findAliases(id).map((alias) => alias.path),
    ]);
    expect(Object.keys(document.paths).sort()).toEqual([...new Set(paths)].sort());
    expect(new Set(ALL_OPERATIONS.map(({ id }) => id)).size).toBe(ALL_OPERATIONS.length);
  });
});

it("the contract hash depends only on the values of the document (RFC 8785)", () => {
  expect(hashContract({ b: 1.0, a: "é" })).toBe(hashContract(JSON.parse('{ "a" : "\\u00e9", "b" : 1e0 }')));
  // RFC 8785 §3.2.3: keys sort by UTF-16 code units.
  expect(hashContract({ "\u20ac": 1, "\r": 2, "1": 3 })).toBe(hashContract({ "1": 3, "\r": 2, "\u20ac": 1 }));
  expect(hash).toBe(hashContract(JSON.parse(JSON.stringify(document))));
});

it("the webhooks object of the OpenAPI document describes the payload that the sandbox sends", async () => {
  const { event } = document.webhooks as unknown as {
    event: { post: { requestBody: { content: Record<string, { schema: object }> } } };
  };
  const sandbox = await sandboxForTest();
  const [content] = Object.values(event.post.requestBody.content);
  const sent = { eventType: "partner.test", environment: "sandbox" };
  const { body } = await post(sandbox, "/v1/sandbox/webhooks/test", sent);
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const isValid = ajv.compile({ ...content?.schema, additionalProperties: false });
  isValid(JSON.parse(String(body.body)));
  expect(isValid.errors).toBeNull();
});
