import { ClaimsError } from "../../domain/errors.ts";
import { isRecord, isTooDeep, parseJsonText } from "../../domain/json.ts";
import { asList, asRecord, ContractReader, isOpenApi, type Node } from "../compare/contract-reader.ts";
import { EVENT } from "../event.ts";
import { hashContract } from "../hash.ts";
import type { Operation } from "../operation.ts";
import { PROBLEMS, problem } from "../problems.ts";
import { listRoutes, type OperationRoute } from "../routes.ts";
import { alignDocument, type FieldSchema, type SeenDocument } from "./align.ts";
import { describeErrorForm, describeType, listKnownHeaders } from "./forms.ts";
import type { StatedForms } from "./observed-service.ts";
import { namePlace } from "./places.ts";
import { findJsonSchema, toStatedObject, toStatedShape } from "./stated-shape.ts";

/** What a service's own document states, and what of it was left out. */
export interface ServiceDocument {
  readonly hash: string | null;
  /** Null if nothing can be learned from it. */
  readonly stated: StatedForms | null;
  /** For a person. */
  readonly notes: readonly string[];
}

/** Reads the OpenAPI document of a service. It may be any text, of any size and depth. */
export function readServiceDocument(text: string): ServiceDocument {
  const document = parseJsonText(text);
  const problem = findProblem(text, document);
  if (problem !== null || !isOpenApi(document))
    return { hash: null, stated: null, notes: [`the service's own contract is not used: ${problem}`] };
  return { hash: tryHash(document), ...readStatedForms(document) };
}

function findProblem(text: string, document: unknown): string | null {
  if (text === "") return "it is empty, truncated or too large";
  if (document === undefined) return "it is not JSON";
  if (isTooDeep(document)) return "it is nested too deeply";
  if (isOpenApi(document)) return null;
  return isRecord(document) && "swagger" in document
    ? "it is Swagger 2, not OpenAPI 3"
    : "it is not an OpenAPI 3 document";
}

/** RFC 8785 cannot represent a lone surrogate. */
function tryHash(document: Node): string | null {
  try {
    return hashContract(document);
  } catch {
    return null;
  }
}

function readStatedForms(document: Node): Pick<ServiceDocument, "stated" | "notes"> {
  const stated: StatedForms = {
    openapi: String(document.openapi).slice(0, MAX_VERSION_LENGTH),
    routes: [],
    responses: [],
    fields: [],
    unknownFields: [],
    errors: [],
  };
  const tooComplex = new Set<string>();
  const attempt = (name: string, work: (reader: ContractReader) => void) => {
    try {
      // Each operation has a budget of its own.
      work(new ContractReader(document));
    } catch (error) {
      if (!(error instanceof ClaimsError)) throw error;
      tooComplex.add(name);
    }
  };
  const read = new Set<Operation>();
  const paths = findPaths(document);
  for (const route of listRoutes())
    attempt(route.operation.id, (reader) => {
      for (const { method, node } of findOperations(reader, paths, route)) {
        stated.routes.push(`${method} ${route.path}`);
        // The canonical path comes first; the others forward to it.
        if (read.has(route.operation)) continue;
        read.add(route.operation);
        addOperation(stated, reader, route, node);
      }
    });
  attempt(EVENT.id, (reader) => addEvent(stated, reader, document));
  const notes =
    tooComplex.size === 0
      ? []
      : [
          `the service's own contract is too complex for ${[...tooComplex].join(", ")}: not all of it is used`,
        ];
  return { stated: stated.routes.length > 0 ? stated : null, notes };
}

const MAX_VERSION_LENGTH = 20;

/** `/v1/clients/{}` → the item of the path, with the path of the server before it. */
function findPaths({ paths, servers }: Node): ReadonlyMap<string, unknown> {
  const [server] = asList(servers).map((each) => String(asRecord(each).url ?? ""));
  const base =
    server && URL.canParse(server, "http://localhost") ? new URL(server, "http://localhost").pathname : "";
  const prefix = base.replace(/\/+$/, "");
  const entries = Object.entries(asRecord(paths));
  return new Map([
    ...entries.map(([path, item]) => [normalizePath(prefix + path), item] as const),
    ...entries.map(([path, item]) => [normalizePath(path), item] as const),
  ]);
}

const normalizePath = (path: string): string => path.replace(/\{[^}]*\}/g, "{}").replace(/\/+$/, "");

function findOperations(
  reader: ContractReader,
  paths: ReadonlyMap<string, unknown>,
  { path, methods }: OperationRoute,
) {
  const item = reader.resolve(paths.get(normalizePath(path)));
  return methods.flatMap((method) => {
    const own = item[method.toLowerCase()];
    const parameters = [...asList(item.parameters), ...asList(asRecord(own).parameters)];
    return isRecord(own) ? [{ method, node: { ...own, parameters } }] : [];
  });
}

function addOperation(
  stated: StatedForms,
  reader: ContractReader,
  { operation, path }: OperationRoute,
  node: Node,
): void {
  const { id, query, request } = operation;
  addParameters(stated, reader, operation, node);
  const body = findJsonSchema(reader.resolve(node.requestBody).content);
  if (request && body)
    addDocument(
      stated,
      id,
      0,
      alignDocument(
        request.schema as FieldSchema,
        toStatedShape(reader, [body.schema]),
        `${id} request`,
        namePlace,
      ),
    );
  if (query) addAbsent(stated, id, `${id} query`, Object.keys(query.properties));
  for (const [key, given] of Object.entries(reader.resolve(node.responses))) {
    const status = /^\d{3}$/.test(key) ? Number(key) : 0;
    if (status >= 200 && status < 300)
      addSuccess(stated, reader, operation, path, status, reader.resolve(given));
    else if (status >= 400) addError(stated, reader, operation, status, reader.resolve(given));
  }
}

function addParameters(
  stated: StatedForms,
  reader: ContractReader,
  { id, query }: Operation,
  node: Node,
): void {
  if (!query) return;
  const parameters = asList(node.parameters)
    .map((each) => reader.resolve(each))
    .filter((each) => each.in === "query" && typeof each.name === "string")
    .map(({ name, schema }) => [String(name), schema] as const);
  const shape = toStatedObject(reader, parameters);
  addDocument(stated, id, 0, alignDocument(query as FieldSchema, shape, `${id} query`, namePlace));
}

/** Optional fields that the document does not have. */
function addAbsent(stated: StatedForms, operation: string, place: string, names: readonly string[]): void {
  const found = stated.fields.filter((each) => each.place === place).map(({ field }) => field);
  for (const field of names)
    if (!found.includes(field))
      stated.fields.push({ place, field, name: null, forms: [], words: [], operation, status: 0 });
}

function addSuccess(
  stated: StatedForms,
  reader: ContractReader,
  { id, response }: Operation,
  template: string,
  status: number,
  given: Node,
): void {
  const body = findJsonSchema(given.content);
  const shape = body && toStatedShape(reader, [body.schema]);
  const seen =
    shape && shape.forms.size > 0
      ? alignDocument(response.schema as FieldSchema, shape, id, namePlace)
      : null;
  stated.responses.push({
    operation: id,
    status,
    template,
    type: describeType(body?.type ?? ""),
    headers: listKnownHeaders(Object.keys(asRecord(given.headers))),
    wrapper: seen?.wrapper ?? null,
    list: seen?.list ?? null,
  });
  if (seen) addDocument(stated, id, status, seen);
}

/** Only of statuses that the contract names: a document states a dozen for each operation. */
function addError(
  stated: StatedForms,
  reader: ContractReader,
  { id, auth, problems = [] }: Operation,
  status: number,
  given: Node,
): void {
  const body = findJsonSchema(given.content);
  if (!body || auth === "client" || !problems.some((code) => PROBLEMS[code].status === status)) return;
  const shape = toStatedShape(reader, [body.schema]);
  if (shape.fields.size === 0) return;
  const example = Object.fromEntries(
    [...shape.fields].map(([name, { forms }]) => [
      name,
      forms.has("array") ? [] : forms.has("object") || forms.size === 0 ? {} : "",
    ]),
  );
  const form = describeErrorForm(body.type, example);
  const isFirst = !stated.errors.some((error) => error.form === "problem");
  stated.errors.push({ operation: id, status, form });
  if (form === "problem" && isFirst)
    addDocument(stated, id, status, alignDocument(problem as FieldSchema, shape, "Problem", namePlace));
}

/** A document of OpenAPI 3.1 can have the payload of its events. */
function addEvent(stated: StatedForms, reader: ContractReader, { webhooks }: Node): void {
  const [item] = Object.values(asRecord(webhooks));
  const { requestBody } = asRecord(reader.resolve(item).post);
  const body = findJsonSchema(reader.resolve(requestBody).content);
  const shape = body && toStatedShape(reader, [body.schema]);
  if (shape && shape.forms.size > 0)
    addDocument(stated, EVENT.id, 0, alignDocument(EVENT.payload as FieldSchema, shape, EVENT.id, namePlace));
}

function addDocument(
  stated: StatedForms,
  operation: string,
  status: number,
  { fields, unknown }: SeenDocument,
): void {
  for (const { count, forms, words, ...field } of fields)
    stated.fields.push({ ...field, forms: [...forms], words: [...words], operation, status });
  for (const { place, name, forms, isKept } of unknown)
    if (isKept && !stated.unknownFields.some((each) => each.place === place && each.name === name))
      stated.unknownFields.push({ place, name, forms: [...forms] });
}
