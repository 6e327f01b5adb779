import { describe, expect, it } from "vitest";
import { compareContracts } from "../../../../../src/contract/compare/compare-contracts.ts";
import { getContract } from "../../../../../src/contract/openapi.ts";

type Json = Record<string, unknown>;

const bundled = JSON.parse(getContract().canonicalJson) as Json;

describe("compareContracts with the bundled document", () => {
  it("reports nothing for the same document with its members in another order", () => {
    const reverse = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(reverse)
        : typeof value === "object" && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([key, inner]) => [key, reverse(inner)]),
            )
          : value;
    expect(compareContracts(bundled, reverse(bundled) as Json)).toEqual([]);
  });
});

const api = (operation: object, rest: object = {}): Json => ({
  openapi: "3.1.0",
  info: { title: "Made up", version: "1" },
  paths: { "/x": { post: { responses: {}, ...operation } } },
  ...rest,
});
const request = (schema: object, media: object = {}) =>
  api({ requestBody: { content: { "application/json": { schema, ...media } } } });
const response = (schema: object, more: object = {}) =>
  api({
    responses: { 200: { description: "Success", content: { "application/json": { schema } }, ...more } },
  });
const object = (properties: object, required: string[] = []) => ({ type: "object", properties, required });
const text = (more: object = {}) => ({ type: "string", ...more });
const assumed = { "x-basis": "assumed" };
const query = (more: object) => api({ parameters: [{ name: "q", in: "query", schema: text(), ...more }] });
const header = (headers: object) => response(text(), { headers });
const security = (...ways: string[]) => api({ security: ways.map((way) => ({ [way]: [] })) });
const scheme = (bearer: object) =>
  api({ security: [{ bearer: [] }] }, { components: { securitySchemes: { bearer } } });
const statuses = (...names: string[]) =>
  api({ responses: Object.fromEntries(names.map((name) => [name, { description: "As its number says" }])) });

const SCHEMA_NAMES = Array.from({ length: 12 }, (_, index) => `p${index}`);

/** Title, old document, new document and the expected effects. */
const COMPARISONS: [string, Json, Json, string[]][] = [
  ["a new required request field", request(object({})), request(object({ a: text() }, ["a"])), ["breaks"]],
  ["a new optional request field", request(object({})), request(object({ a: text() })), ["changes"]],
  ["a removed request value", request({ enum: ["a", "b"] }), request({ enum: ["a"] }), ["breaks"]],
  ["a removed response field", response(object({ a: text() })), response(object({})), ["breaks"]],
  ["a removed assumed field", response(object({ a: text(assumed) })), response(object({})), ["changes"]],
  ["a changed type of a response", response(text()), response({ type: ["integer", "null"] }), ["breaks"]],
  [
    "fields of list items in a combined schema",
    response({ type: "array", items: object({ b: text() }) }),
    response({ type: "array", items: { allOf: [object({}), object({ c: text() })] } }),
    ["breaks", "changes"],
  ],
  ["a new required parameter", api({ parameters: [] }), query({ required: true }), ["breaks"]],
  ["a longer maximum length", request(text({ maxLength: 5 })), request(text({ maxLength: 9 })), ["changes"]],
  ["a shorter maximum length", request(text({ maxLength: 9 })), request(text({ maxLength: 5 })), ["breaks"]],
  ["a request without null", request({ type: ["string", "null"] }), request(text()), ["breaks"]],
  [
    "a request with one more enum value",
    request({ enum: ["a"] }),
    request({ enum: ["a", "b"] }),
    ["changes"],
  ],
  [
    "a request field that is no longer required",
    request(object({ a: text() }, ["a"])),
    request(object({ a: text() })),
    ["changes"],
  ],
  [
    "a changed content type of a multipart part",
    request(object({}), { encoding: { file: { contentType: "text/csv" } } }),
    request(object({}), { encoding: { file: { contentType: "text/plain" } } }),
    ["breaks"],
  ],
  [
    "a first body that must be sent",
    api({}),
    api({ requestBody: { required: true, content: { "text/csv": {} } } }),
    ["breaks"],
  ],
  ["a removed parameter", query({}), api({}), ["changes"]],
  ["a response that may become null", response(text()), response({ type: ["string", "null"] }), ["breaks"]],
  [
    "a response field that becomes required",
    response(object({ a: text() })),
    response(object({ a: text() }, ["a"])),
    ["changes"],
  ],
  [
    "a changed label",
    response(object({ a: text({ "x-basis": "documented" }) })),
    response(object({ a: text(assumed) })),
    ["changes"],
  ],
  [
    "a changed title and type of a field named title",
    response(object({ title: text({ title: "A" }) })),
    response(object({ title: { type: "integer", title: "B" } })),
    ["breaks"],
  ],
  ["a removed response header", header({ ETag: { schema: text() } }), header({}), ["breaks"]],
  ["an additional response status", statuses("200"), statuses("200", "409"), ["changes"]],
  ["a changed status of an error", statuses("200", "409"), statuses("200", "422"), ["changes", "changes"]],
  ["a credential that is no longer accepted", security("bearer", "apiKey"), security("bearer"), ["breaks"]],
  [
    "a changed scheme of a credential",
    scheme({ type: "http", scheme: "bearer" }),
    scheme({ type: "http", scheme: "basic" }),
    ["breaks", "changes"],
  ],
  [
    "a changed server",
    api({}, { servers: [{ url: "/" }] }),
    api({}, { servers: [{ url: "/v2" }] }),
    ["changes"],
  ],
  [
    "a changed schema without references",
    api({}, { components: { schemas: { A: text() } } }),
    api({}, { components: { schemas: { A: {} } } }),
    ["changes"],
  ],
];

describe("compareContracts", () => {
  it.each(COMPARISONS)("classifies %s", (_, before, after, effects) => {
    const found = compareContracts(before, after);
    expect(
      found.map(({ effect }) => effect),
      JSON.stringify(found),
    ).toEqual(effects);
  });

  it.each([
    ["fields", (schema: object) => object(Object.fromEntries(SCHEMA_NAMES.map((name) => [name, schema])))],
    ["alternatives", (schema: object) => ({ anyOf: SCHEMA_NAMES.map(() => schema) })],
  ])("terminates for a schema whose %s all refer to itself", (_, createSchema) => {
    const schema = { $ref: "#/components/schemas/Many" };
    const many = { ...response(schema), components: { schemas: { Many: createSchema(schema) } } };
    expect(compareContracts(many, many)).toEqual([]);
  });

  it("compares the fields of schemas that all refer to each other once in a body", () => {
    const all = SCHEMA_NAMES.map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const fields = Object.fromEntries(all.map((reference, index) => [`f${index}`, reference]));
    const schemas = Object.fromEntries(SCHEMA_NAMES.map((name) => [name, object(fields)]));
    const other = Object.fromEntries(SCHEMA_NAMES.map((name) => [name, object({ ...fields, new: text() })]));
    const recursive = { ...response({ $ref: "#/components/schemas/p0" }), components: { schemas } };
    const changed = { ...recursive, components: { schemas: other } };
    const found = compareContracts(recursive, changed);
    // The schema of the body stands in itself, too.
    expect(found).toHaveLength(SCHEMA_NAMES.length + 1);
    expect(found).toContainEqual({
      operation: "POST /x",
      location: "response f1.new",
      effect: "changes",
      message: "is new",
    });
  });

  it("reports the difference and its location", () => {
    const withResponses = (tag: object, problem: object, more: object) => {
      const content = { "application/json": { schema: problem } };
      return api({
        responses: {
          200: { description: "Success", headers: { ETag: { schema: tag } } },
          404: { description: "Not found", content },
          409: { description: "Conflict", content },
        },
        ...more,
      });
    };
    const one = withResponses(text(), object({ code: text() }), {
      ...{ summary: "Read", security: [{ bearer: [] }] },
    });
    const other = withResponses(text({ maxLength: 66 }), object({}), {
      ...{ summary: "Read it", security: [{ bearer: [] }, { apiKey: [] }] },
    });
    expect(
      compareContracts(one, other).map(({ operation: _, ...row }) => Object.values(row).join(" | ")),
    ).toEqual([
      "security | changes | may be apiKey now",
      "response header ETag | changes | maxLength is new: 66",
      "error code | changes | is gone",
    ]);
  });
});

describe("compareContracts of a large document", () => {
  const COUNT = 12_000;
  const numbers = Array.from({ length: COUNT }, (_, index) => index);
  const openapi = (components: Json, schema: Json): Json => ({
    openapi: "3.1.0",
    components,
    paths: { "/a": { get: { parameters: [{ name: "p", in: "query", schema }], responses: {} } } },
  });
  const compare = (one: Json, other: Json) => compareContracts(one, other).map(({ message }) => message);

  it("follows a chain of components, each of which refers to the next one", { tags: "large" }, () => {
    const chain = (type: string) => {
      const schemas = numbers.map((at) => [
        `s${at}`,
        at === COUNT - 1 ? { type } : { $ref: `#/components/schemas/s${at + 1}` },
      ]);
      const { length } = numbers;
      const schema = { $ref: `#/components/schemas/s${length - 3}` };
      return openapi({ schemas: Object.fromEntries(schemas) }, schema);
    };
    expect(compare(chain("string"), chain("integer"))).toContain("is integer, was string");
  });

  it("compares long lists of values and of alternatives", () => {
    const values = (prefix: string) => openapi({}, { enum: numbers.map((each) => prefix + each) });
    expect(compare(values("a"), values("b"))).toHaveLength(2);
    const all = (last: string) => ({
      allOf: [
        ...numbers.map((each) => ({ title: `t${each}`, properties: { a: { format: `f${each % 3}` } } })),
        { title: last },
      ],
    });
    expect(compare(openapi({}, all("x")), openapi({}, all("y")))).toEqual([
      "requests and responses are the same",
    ]);
  });
});
