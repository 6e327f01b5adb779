import { describe, expect, it } from "vitest";
import { compareContracts } from "../../../../../src/contract/compare/compare-contracts.ts";
import { getContract } from "../../../../../src/contract/openapi.ts";

type Json = Record<string, unknown>;

const bundled = JSON.parse(getContract().canonicalJson) as Json;

const WORDS = new Set(["title", "summary", "description", "example", "examples"]);

/** Every value of a document: its steps, whether it is only words, and the value. */
function* pointers(
  value: unknown,
  steps: readonly string[] = [],
  isInWords = false,
): Generator<[readonly string[], boolean, unknown]> {
  if (typeof value !== "object" || value === null) return;
  for (const [step, inner] of Object.entries(value)) {
    const isField = steps.at(-1) === "properties";
    const isWords = isInWords || (WORDS.has(step) && !isField);
    yield [[...steps, step], isWords, inner];
    yield* pointers(inner, [...steps, step], isWords);
  }
}

/** A copy that shares everything except what is on the way to the value. */
function edit(
  value: unknown,
  [step = "", ...rest]: readonly string[],
  replace: (value: unknown) => unknown,
): unknown {
  const copy = (Array.isArray(value) ? [...value] : { ...(value as Json) }) as Json;
  const replaced = rest.length === 0 ? replace(copy[step]) : edit(copy[step], rest, replace);
  if (replaced !== undefined) copy[step] = replaced;
  else if (Array.isArray(copy)) copy.splice(Number(step), 1);
  else delete copy[step];
  return copy;
}

const otherType = (value: unknown): unknown => (typeof value === "string" ? 5 : "other");

describe("compareContracts of the bundled document", () => {
  it.each([
    ["removed", () => undefined],
    ["of another type", otherType],
  ])(
    "finds only words exactly where the %s value is a title, summary, description or example",
    (_, replace) => {
      const wrong: string[] = [];
      let count = 0;
      for (const [steps, isWords] of pointers(bundled)) {
        count += 1;
        const effects = compareContracts(bundled, edit(bundled, steps, replace) as Json).map(
          ({ effect }) => effect,
        );
        const isRight = effects.length > 0 && effects.every((effect) => effect === "words") === isWords;
        if (!isRight) wrong.push(`${steps.join(" ")}: ${effects.slice(0, 3)}`);
      }
      expect(wrong).toEqual([]);
      expect(count).toBeGreaterThan(20_000);
    },
    300_000,
  );

  it("finds nothing in the same document, whatever the order of its members", () => {
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
const secured = (...ways: string[]) => api({ security: ways.map((way) => ({ [way]: [] })) });
const scheme = (bearer: object | undefined) => api({}, { components: { securitySchemes: { bearer } } });
const body = (required: boolean) => api({ requestBody: { required, content: {} } });
const statuses = (...names: string[]) =>
  api({ responses: Object.fromEntries(names.map((name) => [name, { description: "As its number says" }])) });

/** Title, first and second document, and what they mean, each judged by hand. */
const VERDICTS: [string, Json, Json, string[]][] = [
  [
    "a request that may be longer",
    request(text({ maxLength: 5 })),
    request(text({ maxLength: 9 })),
    ["adds"],
  ],
  [
    "a request that must be shorter",
    request(text({ maxLength: 9 })),
    request(text({ maxLength: 5 })),
    ["breaks"],
  ],
  [
    "a request with a new minimum",
    request({ type: "integer" }),
    request({ type: "integer", minimum: 1 }),
    ["breaks"],
  ],
  ["a request with a lower minimum", request({ minimum: 3 }), request({ minimum: 1 }), ["adds"]],
  ["a request without its pattern", request(text({ pattern: "^a" })), request(text()), ["adds"]],
  [
    "a request with another pattern",
    request(text({ pattern: "^a" })),
    request(text({ pattern: "^b" })),
    ["breaks"],
  ],
  ["a request that takes null too", request(text()), request({ type: ["string", "null"] }), ["adds"]],
  ["a request that takes null no more", request({ type: ["string", "null"] }), request(text()), ["breaks"]],
  ["a request that takes anything", request(text()), request({}), ["adds"]],
  ["a request that takes one more value", request({ enum: ["a"] }), request({ enum: ["a", "b"] }), ["adds"]],
  ["a request of certain values only", request(text()), request(text({ enum: ["a"] })), ["breaks"]],
  [
    "a request that takes unknown fields no more",
    request(object({})),
    request({ ...object({}), additionalProperties: false }),
    ["breaks"],
  ],
  [
    "a field that need not be sent any more",
    request(object({ a: text() }, ["a"])),
    request(object({ a: text() })),
    ["adds"],
  ],
  ["a default of a request", request(text({ default: "a" })), request(text({ default: "b" })), ["changes"]],
  [
    "another encoding of a part",
    request(object({}), { encoding: { file: { contentType: "text/csv" } } }),
    request(object({}), { encoding: { file: { contentType: "text/plain" } } }),
    ["breaks"],
  ],
  ["a body that is required now", body(false), body(true), ["breaks"]],
  ["a body that may be left out", body(true), body(false), ["adds"]],
  [
    "a first body that must be sent",
    api({}),
    api({ requestBody: { required: true, content: { "text/csv": {} } } }),
    ["breaks"],
  ],
  [
    "a first body that may be sent",
    api({}),
    api({ requestBody: { content: { "text/csv": {} } } }),
    ["changes"],
  ],
  ["a parameter that may be left out", query({ required: true }), query({ required: false }), ["adds"]],
  ["a parameter in another style", query({ style: "form" }), query({ style: "pipeDelimited" }), ["breaks"]],
  ["a parameter that is gone", query({}), api({}), ["changes"]],
  ["a deprecated parameter", query({}), query({ deprecated: true }), ["changes"]],
  ["a parameter with another example", query({ example: "a" }), query({ example: "b" }), ["words"]],
  ["a response that may be null", response(text()), response({ type: ["string", "null"] }), ["breaks"]],
  [
    "a response that is never null now",
    response({ type: ["string", "null"] }),
    response(text()),
    ["changes"],
  ],
  [
    "a response without a value it had",
    response({ enum: ["a", "b"] }),
    response({ enum: ["a"] }),
    ["changes"],
  ],
  [
    "a response in another format",
    response(text({ format: "date" })),
    response(text({ format: "date-time" })),
    ["breaks"],
  ],
  [
    "an assumed field in another format",
    response(object({ a: text({ format: "date", ...assumed }) })),
    response(object({ a: text({ format: "uuid", ...assumed }) })),
    ["changes"],
  ],
  [
    "a response that may be longer",
    response(text({ maxLength: 5 })),
    response(text({ maxLength: 9 })),
    ["changes"],
  ],
  ["a response that is bounded now", response(text()), response(text({ maxLength: 9 })), ["adds"]],
  [
    "a field that is never missing now",
    response(object({ a: text() })),
    response(object({ a: text() }, ["a"])),
    ["adds"],
  ],
  [
    "a label",
    response(object({ a: text({ "x-basis": "documented" }) })),
    response(object({ a: text(assumed) })),
    ["changes"],
  ],
  [
    "a field in the values of a map",
    response({ additionalProperties: object({ a: text() }) }),
    response({ additionalProperties: object({}) }),
    ["breaks"],
  ],
  [
    "a title of a field, and its type",
    response(object({ title: text({ title: "A" }) })),
    response(object({ title: { type: "integer", title: "B" } })),
    ["breaks", "words"],
  ],
  ["a response header that is gone", header({ ETag: { schema: text() } }), header({}), ["breaks"]],
  [
    "an assumed response header that is gone",
    header({ ETag: { schema: text(), ...assumed } }),
    header({}),
    ["changes"],
  ],
  ["a new response header", header({}), header({ ETag: { schema: text() } }), ["adds"]],
  ["a status that it may have too", statuses("200"), statuses("200", "409"), ["adds"]],
  ["a status that it never has now", statuses("200", "409"), statuses("200"), ["changes"]],
  ["another status of an error", statuses("200", "409"), statuses("200", "422"), ["changes", "adds"]],
  ["a credential that is not taken", secured("bearer", "apiKey"), secured("bearer"), ["breaks"]],
  ["a credential that is taken too", secured("bearer"), secured("bearer", "apiKey"), ["adds"]],
  [
    "a credential that the whole document takes",
    api({}, { security: [{ bearer: [] }] }),
    secured("bearer"),
    ["changes"],
  ],
  [
    "another way to send a credential",
    scheme({ type: "http", scheme: "bearer" }),
    scheme({ type: "http", scheme: "basic" }),
    ["breaks"],
  ],
  [
    "the description of a credential",
    scheme({ type: "http", description: "a" }),
    scheme({ type: "http", description: "b" }),
    ["words"],
  ],
  ["a lifecycle", api({ "x-lifecycle": "long_term" }), api({ "x-lifecycle": "migration_only" }), ["changes"]],
  ["an operation that is deprecated", api({}), api({ deprecated: true }), ["changes"]],
  [
    "another server",
    api({}, { servers: [{ url: "/" }] }),
    api({}, { servers: [{ url: "/v2" }] }),
    ["changes"],
  ],
  [
    "the description of a server",
    api({}, { servers: [{ url: "/", description: "a" }] }),
    api({}, { servers: [{ url: "/", description: "b" }] }),
    ["words"],
  ],
  ["another version", api({}), api({}, { info: { title: "Made up", version: "2" } }), ["changes"]],
  [
    "a schema that nothing uses",
    api({}, { components: { schemas: { A: text() } } }),
    api({}, { components: { schemas: { A: {} } } }),
    ["changes"],
  ],
  [
    "a list of required fields that is empty",
    request({ properties: {}, required: [] }),
    request({ properties: {} }),
    ["changes"],
  ],
  ["a webhook", api({}), api({}, { webhooks: { event: { post: {} } } }), ["adds"]],
];

describe("compareContracts", () => {
  it.each(VERDICTS)("judges %s", (_, before, after, effects) => {
    const found = compareContracts(before, after);
    expect(
      found.map(({ effect }) => effect),
      JSON.stringify(found),
    ).toEqual(effects);
  });

  it("says what differs, and where", () => {
    const one = api({
      summary: "Read",
      security: [{ bearer: [] }],
      responses: {
        200: { description: "Success", headers: { ETag: { schema: text() } } },
        404: {
          description: "Not found",
          content: { "application/json": { schema: object({ code: text() }) } },
        },
        409: {
          description: "Conflict",
          content: { "application/json": { schema: object({ code: text() }) } },
        },
      },
    });
    const other = api({
      summary: "Read it",
      security: [{ bearer: [] }, { apiKey: [] }],
      responses: {
        200: { description: "Success", headers: { ETag: { schema: text({ maxLength: 66 }) } } },
        404: { description: "Not found", content: { "application/json": { schema: object({}) } } },
        409: { description: "Conflict", content: { "application/json": { schema: object({}) } } },
      },
    });
    expect(
      compareContracts(one, other).map(({ operation: _, ...row }) => Object.values(row).join(" | ")),
    ).toEqual([
      " | words | summary differs",
      "security | adds | accepts apiKey now",
      "response header ETag | adds | maxLength is new: 66",
      "response 404, 409 code | breaks | is gone",
    ]);
  });
});
