import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { client, list } from "../../../../../src/contract/clients.ts";
import { job } from "../../../../../src/contract/diligence.ts";
import { alignDocument, type FieldSchema } from "../../../../../src/contract/observed/align.ts";
import { namePlace } from "../../../../../src/contract/observed/places.ts";
import { addValue, createShape, describeForm } from "../../../../../src/contract/observed/shape.ts";

const AT = Date.parse("2026-11-20T00:00:00Z");

const CLIENT = {
  ...{
    id: "8f14e45f-ceea-467f-a8d0-0c1a2b3c4d5e",
    name: "Acme",
    importerNumber: null,
  },
  ...{ contactEmail: null, reference: null, createdAt: "2026-11-20T00:00:00.000Z" },
};

function align(schema: unknown, ...documents: readonly unknown[]) {
  const shape = createShape();
  for (const document of documents) addValue(shape, document, AT);
  return alignDocument(schema as FieldSchema, shape, "root", namePlace);
}

const namesOf = ({ fields }: ReturnType<typeof align>) =>
  Object.fromEntries(fields.map(({ field, name }) => [field, name]));

describe("alignDocument", () => {
  it("does not take fields for each other that only share the kind of their value", () => {
    const { createdAt } = CLIENT;
    const seen = align(job, { servedAt: createdAt, rowCount: 3, claim_id: CLIENT.id, jobState: "queued" });
    expect(namesOf(seen)).toMatchObject({ createdAt: null, runCount: null, jobId: null, state: "jobState" });
  });

  it("finds a document and a page within an envelope, and a page with few of the fields", () => {
    const { id, name } = CLIENT;
    const enveloped = align(client, { outcome: "ok", result: { id, vat: 1 }, servedAt: "today" });
    expect(enveloped).toMatchObject({ wrapper: "result" });
    const page = { _links: {}, _embedded: { clients: [CLIENT] } };
    expect(align(list.response.schema, page)).toMatchObject({
      wrapper: "_embedded",
      list: { items: "clients" },
    });
    const few = align(list.response.schema, { clients: [{ ID: id, Name: name, vat: 1 }], page: { size: 1 } });
    expect(few).toMatchObject({ wrapper: null, list: { items: "clients" } });
  });

  it("finds fields by their words, also nested ones, and those that are absent", () => {
    const { id, name, createdAt } = CLIENT;
    const seen = align(client, { client_id: id, Name: name, created_at: createdAt });
    expect(namesOf(seen)).toMatchObject({
      id: "client_id",
      name: "Name",
      createdAt: "created_at",
      reference: null,
    });
    expect(namesOf(align(job, { job: { id }, state: "queued", environment: "sandbox" })).jobId).toBe(
      "job.id",
    );
  });

  it("does not take a field of another type", () => {
    expect(namesOf(align(client, { client_id: true, name: "Acme" })).id).toBeNull();
  });

  it("finds the list and its order in a bare array and under any name", () => {
    const later = { ...CLIENT, createdAt: "2026-11-21T00:00:00.000Z" };
    expect(align(list.response.schema, [CLIENT, later]).list).toEqual({ items: null, order: "oldest-first" });
    const page = align(list.response.schema, { results: [later, CLIENT], next: "abc", tags: ["x"] });
    expect(page.list).toEqual({ items: "results", order: "newest-first" });
    expect(namesOf(page).nextCursor).toBe("next");
  });

  it("says nothing of a list that it cannot tell from others, and keeps no name that is not an identifier", () => {
    const others = { "Acme Ltd": [{ deeper: [] }], tags: [] };
    expect(align(list.response.schema, { results: [], next: null, ...others })).toMatchObject({ list: null });
    const page = align(list.response.schema, { results: [], next: null });
    expect(page).toMatchObject({ list: { items: "results" }, unknown: [] });
    const strange = align(client, { "Acme Ltd": CLIENT });
    expect(strange.wrapper).toBeNull();
    expect(strange.unknown).toMatchObject([{ name: "Acme Ltd", isKept: false }]);
  });

  it("finds the field that holds the document", () => {
    const seen = align(client, { client: CLIENT, meta: {} });
    expect(seen.wrapper).toBe("client");
    expect(namesOf(seen).id).toBe("id");
  });

  it("keeps the name of an unknown field only if several objects have it and it is an identifier", () => {
    const unknown = { trace: "t", "Acme Ltd": 1, [CLIENT.id]: 2 };
    const keptNames = (...documents: object[]) =>
      align(client, ...documents)
        .unknown.filter(({ isKept }) => isKept)
        .map(({ name }) => name);
    expect(keptNames({ ...CLIENT, ...unknown })).toEqual([]);
    expect(keptNames({ ...CLIENT, ...unknown }, { ...CLIENT, ...unknown })).toEqual(["trace"]);
  });

  it("keeps words only where the contract has states", () => {
    const { fields } = align(job, {
      ...{ jobId: CLIENT.id, state: "done", sellerName: "acme", environment: "sandbox" },
    });
    expect(fields.flatMap(({ field, words }) => words.map((word) => `${field} ${word}`))).toEqual([
      "state done",
      "environment sandbox",
    ]);
  });

  it("takes any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const schema of [client, job, list.response.schema]) align(schema, value, value);
      }),
    );
  });
});

it("describeForm names the form of a value", () => {
  for (const [value, form] of [
    [null, "null"],
    [true, "boolean"],
    [[], "array"],
    [{}, "object"],
    [12, "integer"],
    [0.5, "decimal"],
    [AT / 1000 + 60, "integer:seconds"],
    [AT + 60_000, "integer:milliseconds"],
    ["", "text:empty"],
    ["Acme", "text"],
    ["12", "text:integer"],
    ["12.50", "text:decimal"],
    [CLIENT.id, "text:uuid"],
    ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "text:ulid"],
    ["2026-11-20", "text:date"],
    [CLIENT.createdAt, "text:date-time"],
    ["2026-11-20T00:00:00+00:00", "text:date-time-offset"],
    ["https://example.com", "text:url"],
  ] as const)
    expect(describeForm(value, AT), String(value)).toBe(form);
});
