import { describe, expect, it } from "vitest";
import { createLearner } from "../../../../../src/contract/observed/learner.ts";
import { readServiceDocument } from "../../../../../src/contract/observed/service-document.ts";
import { getContract } from "../../../../../src/contract/openapi.ts";

const AT = Date.parse("2026-11-20T00:00:00Z");
const JSON_TYPE = [["content-type", "application/json"]] as const;

const read = (document: unknown) => readServiceDocument(JSON.stringify(document));

const exchange = (path: string, body: unknown) => ({
  ...{ method: "GET", path, status: 200, headers: JSON_TYPE, at: AT },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

/** Learns from a document and from responses. */
function learn(document: unknown, ...responses: ReturnType<typeof exchange>[]) {
  const learner = createLearner();
  for (const each of [exchange("/v1/docs/openapi", document), ...responses]) learner.add(each);
  return { ...learner.finish(getContract().hash), notes: learner.listNotes() };
}

type Learned = ReturnType<typeof learn>;

const find = ({ assumptions }: Learned, operation: string, subject: string) =>
  assumptions.find((each) => each.operation === operation && each.subject === subject);

const text = { type: "string" };

/** A document of another service, in OpenAPI 3.0, with its paths relative to its server. */
const OTHER = {
  openapi: "3.0.3",
  servers: [{ url: "https://partners.example.com/v1" }],
  paths: {
    "/clients": {
      parameters: [{ name: "page_size", in: "query", schema: { type: "integer" } }],
      get: {
        parameters: [{ name: "cursor", in: "query", schema: text }],
        responses: {
          "200": {
            headers: { "X-Request-Id": {}, "X-Acme": {} },
            content: {
              "application/json; charset=utf-8": {
                schema: {
                  type: "object",
                  properties: {
                    items: { type: "array", items: { $ref: "#/components/schemas/Client" } },
                    next_cursor: { ...text, nullable: true },
                  },
                },
              },
            },
          },
        },
      },
    },
    "/diligence/submit": { post: { responses: { "201": { description: "created" } } } },
    "/diligence/status/{id}": {
      get: {
        responses: {
          "200": {
            content: {
              "application/json": {
                schema: {
                  properties: {
                    jobId: { ...text, format: "uuid" },
                    state: { enum: ["queued", "running", "sk_live_0123456789"] },
                    createdAt: { type: "integer" },
                    progress: { type: "object" },
                  },
                },
              },
            },
          },
          "404": {
            content: {
              "application/json": { schema: { properties: { error: { type: "object" } } } },
            },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      Client: {
        type: "object",
        properties: {
          id: { ...text, format: "uuid" },
          name: text,
          importer_number: { ...text, nullable: true },
          createdAt: { ...text, format: "date-time" },
          parent: { $ref: "#/components/schemas/Client" },
          tier: { type: "integer" },
        },
      },
    },
  },
};

describe("the service's own document", () => {
  it("confirms what it states as the contract does, and contradicts nothing", () => {
    const service = learn(getContract().document);
    expect(service.notes).toEqual([]);
    expect(service.serviceContractHash).toBe(getContract().hash);
    const differing = service.assumptions.filter(({ status }) => status === "differs");
    expect(differing).toEqual([]);
    const kinds = ["field", "parameter", "request", "response", "method", "path"];
    const unknown = service.assumptions.filter(
      ({ kind, status }) => kinds.includes(kind) && status === "unknown",
    );
    // The headers of requests and the fields that an alias moves.
    expect(unknown.map(({ subject }) => subject).filter((subject) => !/: /.test(subject))).toEqual([]);
  });

  it("shows names, types, statuses, parameters and words of another service", () => {
    const service = learn(OTHER);
    expect(service.notes).toEqual([]);
    expect(service.document?.routes.toSorted()).toEqual(
      ["GET /v1/clients", "POST /v1/diligence/submit", "GET /v1/diligence/status/{jobId}"].sort(),
    );
    const expected: readonly [operation: string, subject: string, status: string, seen: string][] = [
      ["clients.list", "data", "differs", "items (its document)"],
      ["clients.list", "nextCursor", "differs", "next_cursor: null or text (its document)"],
      ["clients.list", "data[].importerNumber", "differs", "importer_number: null or text (its document)"],
      ["clients.list", "data[].createdAt", "confirmed", "createdAt: text:date-time (its document)"],
      ["clients.list", "cursor", "confirmed", "cursor: text (its document)"],
      ["clients.list", "limit", "differs", "absent (its document)"],
      ["diligence.status", "createdAt", "differs", "createdAt: integer (its document)"],
      ["diligence.status", "progress", "confirmed", "progress (its document)"],
      ["diligence.status", "progress.rowsTotal", "unknown", ""],
      ["diligence.status", "404 job_not_found", "differs", "an error as error (its document)"],
      ["diligence.report", "totals", "unknown", ""],
    ];
    for (const [operation, subject, status, seen] of expected)
      expect(find(service, operation, subject), `${operation} ${subject}`).toMatchObject({
        status,
        seen: seen === "" ? [] : [seen],
      });
    const state = service.document?.fields.find(({ field }) => field === "state");
    expect(state?.words).toEqual(["queued", "running"]);
    expect(service.document?.unknownFields.map(({ name }) => name)).toEqual(["page_size", "tier"]);
    expect(service.document?.responses.find(({ operation }) => operation === "clients.list")).toMatchObject({
      type: "application/json",
      headers: ["x-request-id"],
      list: { items: "items", order: null },
    });
    expect(JSON.stringify(service)).not.toMatch(/sk_live|acme|partners\.example/i);
  });

  it("keeps a conflict with a response as two forms", () => {
    const client = { id: "7d9c9f57-1111-4222-8333-444455556666", name: "Acme", createdAt: 1_795_132_800 };
    const service = learn(OTHER, exchange("/v1/clients", { results: [client, client] }));
    expect(find(service, "clients.list", "data")).toMatchObject({
      status: "differs",
      seen: ["results", "items (its document)"],
    });
    expect(find(service, "clients.list", "data[].createdAt")?.seen).toEqual([
      "createdAt: integer:seconds",
      "createdAt: text:date-time (its document)",
    ]);
  });

  it.each([
    ["a page", "<h1>Docs</h1>", "it is not JSON"],
    ["nothing", "", "it is empty, truncated or too large"],
    ["a truncated document", '{"openapi": "3.1.0", "paths": {', "it is not JSON"],
    ["null", "null", "it is not an OpenAPI 3 document"],
    ["a list", "[]", "it is not an OpenAPI 3 document"],
    ["Swagger 2", '{"swagger": "2.0", "paths": {}}', "it is Swagger 2, not OpenAPI 3"],
    ["deep nesting", `${'{"paths":'.repeat(5_000)}1${"}".repeat(5_000)}`, "it is nested too deeply"],
  ])("is not used if it is %s", (_, body, reason) => {
    const { document, serviceContractHash, notes } = learn(body);
    expect({ document, serviceContractHash }).toEqual({ document: undefined, serviceContractHash: null });
    expect(notes).toEqual([`the service's own contract is not used: ${reason}`]);
  });

  it("may refer to itself, to nothing, or to another document", () => {
    const response = (schema: unknown) => ({
      responses: { "200": { content: { "application/json": { schema } } } },
    });
    const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const { stated, notes } = read({
      openapi: "3.1.0",
      paths: {
        "/v1/clients": { get: response(reference("Loop")) },
        "/v1/claims": { get: response(reference("One")) },
        "/v1/offers": { get: response({ $ref: "https://elsewhere.example/schema.json" }) },
        "/v1/revenue/ledger": { get: { responses: { "200": { $ref: "#/paths/~1v1~1claims" } } } },
        "/v1/revenue/dashboard": "no item",
        "/v1/docs/openapi": { get: { parameters: "none", responses: [1, null] } },
      },
      components: {
        schemas: {
          Loop: reference("Loop"),
          One: {
            allOf: [reference("Other")],
            properties: { data: { type: "array", items: reference("One") } },
          },
          Other: { anyOf: [reference("One"), { properties: { nextCursor: reference("Gone") } }] },
        },
      },
    });
    expect(notes).toEqual([]);
    expect(stated?.routes).toContain("GET /v1/offers");
    expect(stated?.responses.find(({ operation }) => operation === "claims.list")?.list?.items).toBe("data");
  });

  it("is left out where its schemas use each other without end, and used elsewhere", () => {
    const names = Array.from({ length: 40 }, (_, index) => `S${index}`);
    const all = Object.fromEntries(
      names.map((name) => [name.toLowerCase(), { $ref: `#/components/schemas/${name}` }]),
    );
    const { stated, notes } = read({
      ...OTHER,
      paths: {
        ...OTHER.paths,
        "/offers": {
          get: { responses: { "200": { content: { "application/json": { schema: all.s0 } } } } },
        },
      },
      components: {
        schemas: {
          ...OTHER.components.schemas,
          ...Object.fromEntries(names.map((name) => [name, { type: "object", properties: all }])),
        },
      },
    });
    expect(notes).toEqual([
      "the service's own contract is too complex for offers.list: not all of it is used",
    ]);
    expect(stated?.fields.some(({ operation }) => operation === "clients.list")).toBe(true);
  });
});
