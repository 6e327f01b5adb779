import { describe, expect, it } from "vitest";
import type { Operation } from "../../../../../src/contract/operations/operation.ts";
import { ALL_OPERATIONS } from "../../../../../src/contract/operations/operations.ts";
import { checkForm } from "../../../../../src/contract/service-form/check-form.ts";
import { CODEC_NAMES, CODECS, type CodecName } from "../../../../../src/contract/service-form/codecs.ts";
import {
  type ContractField,
  type ContractRecord,
  findContractResponse,
} from "../../../../../src/contract/service-form/contract-records.ts";
import { readError, writeError } from "../../../../../src/contract/service-form/errors.ts";
import {
  readQuery,
  readRequestBody,
  writeQuery,
  writeRequestBody,
} from "../../../../../src/contract/service-form/requests.ts";
import { bindResponse } from "../../../../../src/contract/service-form/responses.ts";
import type {
  PagingForm,
  RecordForm,
  Row,
  ServiceForm,
} from "../../../../../src/contract/service-form/service-form.ts";
import { createRandomNumbers } from "../../../../../src/domain/random-numbers.ts";

type Draw = (count: number) => number;

const pick = <T>(draw: Draw, values: readonly T[]): T => values[draw(values.length)] as T;

/** Words that a service could use; each is made once, so that places do not collide by chance. */
function createNames(draw: Draw) {
  let count = 0;
  return () => {
    count += 1;
    return `${pick(draw, ["a", "data", "x-", "Nested_", "ü", "k.", "id"])}${count}`.replaceAll(".", "\\.");
  };
}

const codecsFor = (shape: string): CodecName[] =>
  CODEC_NAMES.filter((name) => {
    const { of, ...codec } = CODECS[name];
    return (of as readonly string[]).includes(shape) && !("isLossy" in codec) && name !== "last-segment";
  });

function randomRow(draw: Draw, field: ContractField, name: () => string): Row | undefined {
  if (draw(3) === 0) return undefined;
  const at = Array.from({ length: 1 + draw(3) }, name).join(".");
  if (draw(3) === 0 || field.record) return at;
  const codecs = codecsFor(field.shape);
  if (field.words.length > 0 && draw(2) === 0)
    return {
      at,
      words: Object.fromEntries(
        field.words.map((word, index) => [word, pick(draw, [`${name()}`, 100 + index])]),
      ),
    };
  if (field.shape === "texts") return { at, each: name() };
  if (field.shape === "text" && draw(2) === 0) return { at, prefix: name() };
  return codecs.length > 0 ? { at, as: pick(draw, codecs) } : { at };
}

function addRecords(
  draw: Draw,
  record: ContractRecord,
  path: string,
  records: Record<string, RecordForm>,
  name: () => string,
): void {
  const fields: Record<string, Row> = {};
  for (const field of record.fields.values()) {
    const row = randomRow(draw, field, name);
    if (row !== undefined) fields[field.name] = row;
    if (!field.record) continue;
    addRecords(
      draw,
      field.record,
      `${path}.${field.name}${{ record: "", list: "[]", map: ".*" }[field.shape as "record"]}`,
      records,
      name,
    );
    if (field.shape !== "record" || field.isNullable) continue;
    // Some fields leave their nested record.
    for (const inner of field.record.fields.values())
      if (!inner.record && draw(4) === 0) fields[`${field.name}.${inner.name}`] = name();
  }
  const [decider] = [...record.fields.values()].filter(({ words }) => words.length > 0);
  const words = Object.fromEntries((decider?.words ?? []).map((word, index) => [word, index]));
  if (draw(4) > 0)
    records[path] = {
      fields,
      ...(draw(3) === 0 && { constants: { [name()]: draw(9) } }),
      ...(decider && draw(3) === 0 && { derived: { [name()]: { from: decider.name, words } } }),
    };
}

const PAGINGS: readonly PagingForm[] = [
  { kind: "cursor", parameter: "after", size: "n", next: "meta.after" },
  { kind: "cursor", parameter: "after", next: "links.next", isUrl: true },
  { kind: "page", parameter: "p", next: "links.next", isUrl: true, isAbsolute: true, self: "links.self" },
  { kind: "page", parameter: "p", size: "n", pages: "meta.pages", total: "meta.total", current: "meta.page" },
  { kind: "page", parameter: "p", size: "n", hasMore: "more", first: 0 },
  { kind: "offset", parameter: "skip", size: "take", total: "meta.total" },
  { kind: "offset", parameter: "skip", size: "take", contentRange: "items" },
];

function randomForm(draw: Draw, operation: Operation): ServiceForm {
  const name = createNames(draw);
  const { record, isPage } = findContractResponse(operation);
  const records: Record<string, RecordForm> = {};
  addRecords(draw, record, record.name, records, name);
  const place = () => Array.from({ length: 1 + draw(3) }, name).join(".");
  return {
    serviceForm: 1,
    ...(draw(3) === 0 && { names: pick(draw, ["snake", "kebab", "pascal"] as const) }),
    ...(draw(3) === 0 && { times: pick(draw, codecsFor("time")) }),
    ...(draw(3) === 0 && { money: pick(draw, codecsFor("money")) }),
    ...(draw(3) === 0 && { order: "oldest-first" as const }),
    records,
    operations: {
      [operation.id]: {
        ...(draw(2) === 0 && { status: 200 + draw(3) }),
        ...(isPage
          ? { paging: pick(draw, PAGINGS), items: place(), ...(draw(3) === 0 && { map: true }) }
          : draw(2) === 0 && { at: place() }),
        ...(draw(4) === 0 && { location: pick(draw, ["/v1/things/{id}", "{origin}/v1/things/{id}"]) }),
      },
    },
  };
}

const TIMES = ["2026-11-20T00:00:00.000Z", "2026-02-28T23:59:59.123Z", "1999-12-31T12:00:00.007Z"];

function randomValue(draw: Draw, field: ContractField): unknown {
  if (field.isNullable && draw(4) === 0) return null;
  const { record, shape } = field;
  const list = <T>(make: () => T): T[] => Array.from({ length: draw(3) }, make);
  if (record && shape === "record") return randomRecord(draw, record);
  if (record && shape === "list") return list(() => randomRecord(draw, record));
  if (record) return Object.fromEntries(list(() => [`key${draw(99)}`, randomRecord(draw, record)]));
  if (field.words.length > 0) return pick(draw, field.words);
  switch (shape) {
    case "time":
      return pick(draw, TIMES);
    case "date":
      return pick(draw, ["2026-11-20", "1999-01-02"]);
    case "money":
      return pick(draw, [0, 1, 99, 100, 123_456_789, 1_999_999_999_999]);
    case "integer":
      return draw(100_000);
    case "boolean":
      return draw(2) === 0;
    case "texts":
      return list(() => pick(draw, ["one", "two, three", ""]));
    case "text":
      return pick(draw, ["", "Zürich 🧾", "true", "12", "7d9c1f3e-5b7a-4d83-9a1c-2f6e8b0d4c57"]);
    default:
      return pick(draw, [null, 1, "x", [1], { "a.b": { c: null } }]);
  }
}

const randomRecord = (draw: Draw, record: ContractRecord): Record<string, unknown> =>
  Object.fromEntries([...record.fields.values()].map((field) => [field.name, randomValue(draw, field)]));

/** A page that the form can say something of: the second of some. */
function randomPage(draw: Draw, record: ContractRecord, paging: PagingForm | undefined) {
  const rows = 1 + draw(3);
  const hasMore = draw(2) === 0;
  const { kind = "cursor", parameter = "cursor", size = "limit", first = 1 } = paging ?? {};
  const data = Array.from({ length: rows }, (_, index) => ({
    ...randomRecord(draw, record),
    id: `7d9c1f3e-5b7a-4d83-9a1c-00000000000${index}`,
  }));
  const query = new URLSearchParams({ [size]: String(rows) });
  if (kind === "cursor") return { body: { data, nextCursor: hasMore ? "c2Vjb25k" : null }, query };
  query.set(parameter, String(kind === "page" ? first + 1 : rows));
  const next = String(kind === "page" ? first + 2 : 2 * rows);
  return {
    body: { data, nextCursor: hasMore ? next : null },
    query,
    window: () => ({ offset: rows, limit: rows, total: hasMore ? 5 * rows : 2 * rows }),
  };
}

const OPERATIONS = ALL_OPERATIONS.filter(({ id, auth }) => id !== "document.openapi" && auth !== "client");

const createDraw = (seed: string): Draw => {
  const next = createRandomNumbers(seed);
  return (count) => next() % count;
};

describe("read and write of a service form", () => {
  it("are inverse for 10,000 random forms with random documents", { tags: "large" }, () => {
    let accepted = 0;
    for (let seed = 0; seed < 10_000; seed += 1) {
      const draw = createDraw(`law ${seed}`);
      const operation = pick(draw, OPERATIONS);
      const form = randomForm(draw, operation);
      if (checkForm(form).length > 0) continue;
      accepted += 1;
      const { record, isPage } = findContractResponse(operation);
      const { body, ...context } = isPage
        ? randomPage(draw, record, form.operations?.[operation.id]?.paging)
        : { body: randomRecord(draw, record), query: new URLSearchParams() };
      const response = { status: operation.response.status, headers: {}, body };
      const sent = bindResponse(form, operation).write(response, context);
      const wire = JSON.parse(JSON.stringify(sent.body));
      const headers = Object.fromEntries(
        Object.entries(sent.headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      const { status, body: again } = bindResponse(form, operation).read(
        { ...sent, headers, body: wire },
        context,
      );
      expect(
        { status, body: again },
        `seed ${seed}: ${JSON.stringify(form)}\n${JSON.stringify(wire)}`,
      ).toEqual({ status: response.status, body });
    }
    // The rest has two fields at one place, which `form check` refuses.
    expect(accepted).toBeGreaterThan(9_000);
  });

  it("are inverse for the bodies and the queries of requests", () => {
    for (let seed = 0; seed < 500; seed += 1) {
      const draw = createDraw(`requests ${seed}`);
      const operation = pick(
        draw,
        OPERATIONS.filter(({ request }) => request?.kind === "json"),
      );
      const name = createNames(draw);
      const names = Object.keys(operation.request?.schema.properties ?? {});
      const request = Object.fromEntries(names.map((field) => [field, `${name()}.${name()}`]));
      const form: ServiceForm = { serviceForm: 1, operations: { [operation.id]: { request } } };
      const body = Object.fromEntries(names.map((field, index) => [field, `value ${index}`]));
      expect(readRequestBody(form, operation, writeRequestBody(form, operation, body))).toEqual(body);
    }
    const [list] = OPERATIONS.filter(({ id }) => id === "webhooks.deliveries") as [Operation];
    const form: ServiceForm = {
      serviceForm: 1,
      parameters: { endpointId: "hook" },
      operations: { [list.id]: { paging: { kind: "page", parameter: "p", size: "n" } } },
    };
    const sent = writeQuery(form, list, { endpointId: "e", limit: 3, cursor: "2", status: "failed" });
    expect(sent).toEqual({ hook: "e", n: 3, p: "2", status: "failed" });
    const query = new URLSearchParams(Object.entries(sent).map(([name, value]) => [name, String(value)]));
    expect(Object.fromEntries(readQuery(form, list, query))).toEqual({
      endpointId: "e",
      limit: "3",
      cursor: "2",
      status: "failed",
    });
  });

  it.each([
    { code: "code", message: "message" },
    {
      at: "problem",
      code: "key",
      message: "text.en",
      codes: { job_not_found: 4041 },
      statuses: { job_not_found: 410 },
    },
    { at: "errors", isList: true, code: "id", message: "detail", statuses: { 404: 422 } },
    { code: null, message: "text", header: "X-Error-Code", codes: { job_not_found: "NO_JOB" } },
    {
      code: "code",
      message: "text",
      status: "status",
      statusAs: "text" as const,
      reason: "title",
      path: "path",
    },
    { isText: true, separator: ": ", codes: { "diligence.status job_not_found": "E-404" } },
  ])("are inverse for errors as %o", (errors) => {
    const form: ServiceForm = { serviceForm: 1, errors };
    const error = { status: 404, code: "job_not_found", message: "There is no such job." };
    const sent = writeError(form, { ...error, operation: "diligence.status" });
    const headers = Object.fromEntries(
      Object.entries(sent?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const read = readError(form, sent?.status ?? 0, sent?.body, headers);
    expect(read).toMatchObject(error);
  });

  it("write the status, its phrase and the path of the request beside an error", () => {
    const places = { status: "status", statusAs: "text", reason: "title", path: "path" } as const;
    const form: ServiceForm = { serviceForm: 1, errors: { code: "code", message: "text", ...places } };
    const error = { status: 404, code: "job_not_found", message: "No.", path: "/v1/diligence/status/7" };
    expect(writeError(form, error, { 404: "Not Found" })?.body).toEqual({
      ...{ code: "job_not_found", text: "No.", status: "404", title: "Not Found" },
      path: "/v1/diligence/status/7",
    });
  });

  it("find the id in Location where the body has none", () => {
    const [operation] = OPERATIONS.filter(({ id }) => id === "clients.create") as [Operation];
    const own = { isEmpty: true, status: 204, location: "{origin}/v1/clients/{id}" };
    const { write, read } = bindResponse({ serviceForm: 1, operations: { [operation.id]: own } }, operation);
    const id = "7d9c1f3e-5b7a-4d83-9a1c-2f6e8b0d4c57";
    const context = { query: new URLSearchParams(), origin: "http://127.0.0.1:9" };
    const sent = write({ status: 201, headers: {}, body: { id, name: "Acme" } }, context);
    expect(sent).toMatchObject({ headers: { Location: `http://127.0.0.1:9/v1/clients/${id}` } });
    expect(sent.body).toBeUndefined();
    for (const location of [sent.headers.Location, `https://api.example/base/v1/clients/${id}?x=1`])
      expect(read({ ...sent, headers: { location: String(location) } }).body).toEqual({ id });
    expect(read({ ...sent, headers: { location: "/elsewhere" } }).body).toEqual({});
  });

  it("leave a code that means two problems as it is", () => {
    const codes = { "claims.status claim_not_found": 1404, "diligence.status job_not_found": 1404 };
    const form: ServiceForm = { serviceForm: 1, errors: { code: "error", message: "text", codes } };
    expect(checkForm(form)).toEqual([]);
    expect(readError(form, 404, { error: 1404, text: "no" })?.code).toBe("1404");
  });

  it("add an example of each field that the contract does not have, and keep it", () => {
    const [operation] = OPERATIONS.filter(({ id }) => id === "clients.list") as [Operation];
    const extras = { trace: "uuid", "data.*.risk.band": { word: "low" }, "data.*.name": "integer" } as const;
    const form: ServiceForm = { serviceForm: 1, operations: { [operation.id]: { extras } } };
    const client = { id: "7d9c1f3e-5b7a-4d83-9a1c-2f6e8b0d4c57", name: "Acme" };
    const body = { data: [client], nextCursor: null };
    const { write, read } = bindResponse(form, operation);
    const sent = write({ status: 200, headers: {}, body });
    expect(sent.body).toEqual({
      ...{ trace: expect.stringMatching(/^[0-9a-f-]{36}$/), nextCursor: null },
      data: [{ ...client, risk: { band: "low" } }],
    });
    expect(read(sent).body).toMatchObject(body);
  });
});

describe("checkForm", () => {
  const mistakesOf = (form: Partial<ServiceForm>) =>
    checkForm({ serviceForm: 1, ...form }).map(({ at }) => at);

  it("refuses places that collide", () => {
    for (const fields of [
      { id: "key", name: "key" },
      { id: "name" },
      { id: "meta", name: "meta.name" },
      { name: "id.name" },
    ])
      expect(mistakesOf({ records: { Client: { fields } } }), JSON.stringify(fields)).toEqual([
        "/records/Client",
      ]);
    expect(mistakesOf({ records: { Client: { fields: { id: "name", name: "id" } } } })).toEqual([]);
  });

  it("refuses names that the contract does not have, codecs that do not fit, and words that are not injective", () => {
    const fields = {
      nothing: "x",
      name: { at: "title", as: "epoch-ms" as const },
      createdAt: { as: "epoch-ms" as const },
    };
    expect(mistakesOf({ records: { Client: { fields }, Clients: {} } })).toEqual([
      "/records/Client/fields/nothing",
      "/records/Client/fields/name/as",
      "/records/Clients",
    ]);
    expect(mistakesOf({ operations: { "clients.create": { location: "/v1/clients" } } })).toEqual([
      "/operations/clients.create/location",
    ]);
    const derived = { phase: { from: "stage", words: {} } };
    expect(mistakesOf({ records: { Job: { derived } } })).toEqual(["/records/Job/derived/phase"]);
    const taken = { createdAt: { from: "state", words: { queued: 0 } } };
    expect(mistakesOf({ records: { Job: { derived: taken } } })).toEqual(["/records/Job"]);
    for (const words of [{ queued: "new", processing: "new" }, { queued: "failed" }])
      expect(mistakesOf({ records: { Job: { fields: { state: { words } } } } })).toEqual([
        "/records/Job/fields/state/words",
      ]);
    expect(mistakesOf({ operations: { "jobs.list": {}, "diligence.status": { items: "x" } } })).toEqual([
      "/operations/jobs.list",
      "/operations/diligence.status/items",
    ]);
  });
});
