import { describe, expect, it } from "vitest";
import { type JsonSchema, withoutNull } from "../../../../../src/contract/json-schema.ts";
import { checkMapping } from "../../../../../src/contract/mapping/check.ts";
import {
  classifyError,
  classifyProblem,
  readError,
  writeErrorBody,
  writeErrorWord,
} from "../../../../../src/contract/mapping/errors.ts";
import { ERROR_CLASSES, type Mapping, TIME_FORMATS } from "../../../../../src/contract/mapping/mapping.ts";
import { ResponseReader, readSubmittedId } from "../../../../../src/contract/mapping/read.ts";
import { readBody, readQuery, writeBody, writeQuery } from "../../../../../src/contract/mapping/requests.ts";
import {
  findResource,
  listBodyNames,
  listQueryNames,
  listResources,
  type Resource,
} from "../../../../../src/contract/mapping/resources.ts";
import { writeResponse } from "../../../../../src/contract/mapping/write-response.ts";
import { ALL_OPERATIONS, OPERATIONS } from "../../../../../src/contract/operations/operations.ts";
import { PROBLEMS } from "../../../../../src/contract/problems.ts";
import { JOB_STATES } from "../../../../../src/domain/diligence/states.ts";
import { createRandomNumbers } from "../../../../../src/domain/random-numbers.ts";
import { IS_EXHAUSTIVE } from "../../../../support/exhaustive.ts";

type Draw = (count: number) => number;
type Lines = Record<string, Mapping[string]>;
type Fields = Readonly<Record<string, unknown>>;

const pick = <T>(draw: Draw, values: readonly T[]): T => values[draw(values.length)] as T;

/** The response as the client has it: the body parsed, and the names of the headers in lower case. */
const receive = ({ body, headers }: ReturnType<typeof writeResponse>) => ({
  body: JSON.parse(JSON.stringify(body)),
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
});

/** Names that a service could have; each is made once, so that two places are never the same by chance. */
function createNames(draw: Draw) {
  let count = 0;
  const name = () => {
    count += 1;
    return pick(draw, [
      `a${count}`,
      `Data-${count}`,
      `"k.${count}"`,
      `ü${count}`,
      `"${count}[]"`,
      `n${count}[]`,
    ]);
  };
  const simple = () => `${name().replace("[]", "").replaceAll('"', "").replace("k.", "k")}x`;
  return { simple, path: () => [...Array.from({ length: draw(3) }, name), simple()].join(".") };
}

type Names = ReturnType<typeof createNames>;

const ids = (draw: Draw): unknown =>
  `${pick(draw, ["R-", "urn:", "Ü/", ""])}${1000 + draw(9000)}-${draw(1e6)}`;

function randomValue(draw: Draw, given: JsonSchema, name: string): unknown {
  const schema = withoutNull(given);
  const isHolder = schema.properties !== undefined;
  if (schema !== given && !isHolder && draw(4) === 0) return null;
  if (schema.enum) return pick(draw, schema.enum);
  if (/^(id|jobId)$/.test(name)) return ids(draw);
  if (schema.format === "date-time")
    return pick(draw, ["2026-11-20T00:00:00.000Z", "1999-12-31T12:00:07.000Z"]);
  const list = <T>(make: () => T): T[] => Array.from({ length: draw(3) }, make);
  if (isHolder) return randomRecord(draw, schema);
  if (schema.items) return list(() => randomValue(draw, schema.items as JsonSchema, ""));
  const [member] = Object.values(schema.patternProperties ?? {});
  if (member) return Object.fromEntries(list(() => [`key${draw(99)}`, randomValue(draw, member, "")]));
  if (schema.type === "integer") return pick(draw, [0, 1, 99, 100, 123_456_789, 1_999_999_999]);
  if (schema.type === "boolean") return draw(2) === 0;
  return pick(draw, ["", "Harbor & Pine", "naïve 🧾", "2026-11-20", "a\nb"]);
}

const randomRecord = (draw: Draw, { properties = {} }: JsonSchema): Fields =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, randomValue(draw, schema, name)]),
  );

function randomWords(draw: Draw, { simple }: Names) {
  const words: [string, (typeof JOB_STATES)[number]][] = [];
  for (const state of JOB_STATES)
    for (let count = draw(3); count > 0; count -= 1)
      words.push([pick(draw, [simple(), String(draw(90) + words.length * 100)]), state]);
  return Object.fromEntries(words);
}

function fieldLines(draw: Draw, resource: Resource, names: Names): Lines {
  const lines: Lines = {};
  for (const { name, isAmount, path } of resource.fields) {
    const hasOuter = path.some((_, level) => lines[`${resource.name}.${path.slice(0, level).join(".")}`]);
    if (hasOuter || draw(3) > 0) continue;
    const place = names.path();
    const format = pick(draw, ["decimal", "decimal-comma"] as const);
    lines[`${resource.name}.${name}`] = isAmount && draw(2) === 0 ? { path: place, format } : place;
  }
  return lines;
}

function randomPaging(draw: Draw, { path, simple }: Names): Mapping["paging"] {
  const line = () => (draw(2) === 0 ? `header:X-${simple().replace(/[^a-z0-9]/gi, "")}` : path());
  const end = () => ({ [pick(draw, ["more", "pages", "total"])]: line() });
  return pick(draw, [
    () => "link" as const,
    () => ({ next: path() }),
    () => ({ next: path(), parameter: simple() }),
    () => ({ page: simple(), first: pick(draw, [0, 1] as const), ...end() }),
    () => ({ offset: simple(), ...end() }),
    () => ({ offset: simple(), size: simple() }),
  ])();
}

function randomMapping(draw: Draw, resource: Resource): Mapping {
  const names = createNames(draw);
  const lines = fieldLines(draw, resource, names);
  const isJob = resource.name === "job" || resource.name === "submitted";
  if (resource.isList) {
    const isById = draw(3) === 0;
    lines[resource.name] = names.path() + (isById ? "{}" : "");
    if (isById && draw(2) === 0) lines[`${resource.name}.id`] = "{}";
    const paging = randomPaging(draw, names);
    const key = pick(draw, ["paging", `${resource.name}.paging`, null]);
    if (key !== null) lines[key] = paging;
  } else if (!isJob && draw(2) === 0) lines[resource.name] = names.path();
  if (resource.name === "submitted" && draw(2) === 0)
    lines["submitted.id"] = pick(draw, ["header:Location", "header:X-Job"]);
  if (draw(2) === 0) lines["job.words"] = randomWords(draw, names);
  if (draw(2) === 0) lines.times = pick(draw, TIME_FORMATS);
  return lines;
}

const SEED = "the law of a mapping";

/** Random mappings. */
const COUNT = IS_EXHAUSTIVE ? 1_000 : 250;

const url = "http://localhost/";

describe("read(write(x)) = x", () => {
  it("holds for every field of random mappings", () => {
    const next = createRandomNumbers(SEED);
    const draw: Draw = (count) => next() % count;
    for (let round = 0; round < COUNT; round += 1) {
      const resource = pick(draw, listResources());
      const [operation] = resource.operations;
      if (!operation) throw new Error(`${resource.name} has no operation`);
      const mapping = randomMapping(draw, resource);
      expect(checkMapping(mapping), JSON.stringify(mapping)).toEqual([]);
      const reader = new ResponseReader(mapping, operation);
      if (resource.isList) {
        const data = Array.from({ length: draw(4) }, () => randomRecord(draw, resource.schema));
        const isLast = data.length === 0 || draw(2) === 0;
        const next = isLast ? null : String(data.length);
        const headers: Record<string, string> = isLast ? {} : { Link: '<?cursor=x>; rel="next"' };
        const sent = writeResponse(
          mapping,
          operation,
          { headers, body: { data, nextCursor: next } },
          { url, window: { limit: data.length, countRows: () => data.length * (isLast ? 1 : 3) } },
        );
        const { body, headers: received } = receive(sent);
        const found = reader.locateItems(body);
        expect(
          found?.items.map(({ value }) => value),
          JSON.stringify(mapping),
        ).toEqual(data);
        const nextPage = reader.createPager().findNext({ url, headers: received, body, rows: data.length });
        const isEndless = JSON.stringify(mapping[`${resource.name}.paging`] ?? mapping.paging ?? {}).includes(
          '"size"',
        );
        if (!isEndless) expect(nextPage === null, JSON.stringify(mapping)).toBe(isLast);
        continue;
      }
      const record = randomRecord(draw, resource.schema);
      const headers = { Location: `/v1/x/${encodeURIComponent(String(record.jobId))}?a` };
      const sent = writeResponse(mapping, operation, { headers, body: record }, { url });
      const { body, headers: received } = receive(sent);
      const value = reader.read(body);
      const line = resource.name === "submitted" ? mapping["submitted.id"] : undefined;
      const id = line && readSubmittedId(line, { headers: received, json: body });
      const found = id === undefined ? value : { ...(value as Fields), jobId: id };
      expect(found, JSON.stringify(mapping)).toEqual(record);
    }
  });

  it("holds for mapped fields that displace another field", () => {
    const resource = findResource(OPERATIONS.clients.create) as Resource;
    const mapping = { "client.name": "createdAt", "client.reference": "extra.id" };
    const record = {
      id: "1",
      name: "Pier",
      reference: "N-1",
      createdAt: "2026-11-20T00:00:00.000Z",
      contactEmail: null,
    };
    const given = { headers: {}, body: record };
    const sent = writeResponse(mapping, OPERATIONS.clients.create, given, { url }).body;
    expect(sent).toEqual({ id: "1", createdAt: "Pier", extra: { id: "N-1" }, contactEmail: null });
    const { createdAt: _, ...others } = record;
    expect(new ResponseReader(mapping, OPERATIONS.clients.create).read(sent)).toEqual(others);
    expect(resource.fields.map(({ name }) => name)).toContain("createdAt");
  });

  it("holds for the class and the message of every error", () => {
    const next = createRandomNumbers(`${SEED} of errors`);
    const draw: Draw = (count) => next() % count;
    let valid = 0;
    for (let round = 0; round < COUNT; round += 1) {
      const names = createNames(draw);
      const words = Object.fromEntries(
        Array.from({ length: draw(5) }, () => {
          const status = pick(draw, [400, 404, 409, 410, 422, 503]);
          return [
            pick(draw, [`${status} ${names.simple()}`, names.simple(), String(status)]),
            pick(draw, ERROR_CLASSES),
          ];
        }),
      );
      const mapping: Mapping = {
        ...(draw(2) === 0 && { "error.code": names.path() }),
        ...(draw(2) === 0 && { "error.message": draw(3) === 0 ? "m" : names.path() }),
        "error.words": words,
      };
      if (checkMapping(mapping).length > 0) continue;
      valid += 1;
      for (const [code, { status, title }] of Object.entries(PROBLEMS)) {
        const written = writeErrorWord(words, { status, code });
        const body = writeErrorBody(mapping, written.code, title) ?? { code: written.code, detail: title };
        const read = readError(mapping, body);
        const isSent = mapping["error.code"] !== undefined || mapping["error.message"] === undefined;
        const found = { status: written.status, code: read.code ?? (isSent ? written.code : null) };
        expect(classifyError(words, found), JSON.stringify(mapping)).toBe(
          classifyProblem(words, { status, code }),
        );
        expect(read.message).toBe(mapping["error.message"] === undefined ? undefined : title);
      }
    }
    expect(valid).toBeGreaterThan(0.3 * COUNT);
  });

  it("holds for the body and the query of every operation", () => {
    const next = createRandomNumbers(`${SEED} of requests`);
    const draw: Draw = (count) => next() % count;
    for (const operation of ALL_OPERATIONS) {
      const names = createNames(draw);
      const bodyNames = listBodyNames(operation);
      const queryNames = listQueryNames(operation);
      const mapping: Mapping = Object.fromEntries([
        ...bodyNames.filter(() => draw(2) === 0).map((name) => [`body.${name}`, names.path()]),
        ...queryNames.filter(() => draw(2) === 0).map((name) => [`query.${name}`, names.simple()]),
      ]);
      const body = Object.fromEntries(bodyNames.map((name) => [name, draw(9)]));
      expect(readBody(mapping, operation, writeBody(mapping, operation, body))).toEqual(body);
      const query = Object.fromEntries(queryNames.map((name) => [name, `v ${draw(9)}`]));
      const sent = new URLSearchParams(writeQuery(mapping, query) as Record<string, string>);
      expect(Object.fromEntries(readQuery(mapping, operation, sent, 50).parameters)).toEqual(query);
    }
  });
});
