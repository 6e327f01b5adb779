import { isRecord } from "../../domain/json.ts";
import { toCanonicalJson } from "../hash.ts";
import { asList, asRecord, ContractReader, type Node } from "./contract-reader.ts";
import { type Effect, isWords, judgeKeyword, type Role } from "./effects.ts";

export type Verdict = readonly [effect: Effect, message: string];

export type Texts = readonly string[];

/** A part of a contract: an operation, a parameter, a body, a field. References and alternatives are merged. */
export interface Part {
  readonly role: Role;
  /** As in `response data[].status`; empty for an operation. */
  readonly location: string;
  /** Keyword → its values in RFC 8785 form, sorted: alternatives may have several. Types and allowed values are plain texts. */
  readonly facts: ReadonlyMap<string, Texts>;
  /** What it contains, by name. */
  readonly parts: Parts;
  /** Its schemas as the document writes them, if they refer to others: equal ones have the same parts. */
  readonly reference?: string | undefined;
  /** What it means if only the second document has this part, or only the first; nothing without one. */
  readonly whenNew?: Verdict;
  readonly whenGone?: Verdict;
}

/** Each is read when it is compared: a schema may contain itself. */
export type Parts = ReadonlyMap<string, () => Part>;

type Side = "request" | "response";

const METHODS = ["get", "put", "post", "delete", "patch", "head", "options", "trace"];
const ALTERNATIVES: readonly string[] = ["allOf", "anyOf", "oneOf"];

/** The operations of a document by method and path, what all operations of a path have by the path, and the rest as `*`. */
export function readContract(document: Node): Parts {
  const reader = new PartReader(document);
  const paths = Object.entries(asRecord(document.paths)).flatMap(([path, value]) => [
    ...reader.readPath(path, value),
  ]);
  return new Map([...paths, ["*", () => readRest(document)]]);
}

/** What belongs to no operation: the document's own members, and the ways to authenticate. */
function readRest({ paths: _, security: __, components, ...own }: Node): Part {
  const { securitySchemes } = asRecord(components);
  const { facts, parts } = readMembers("description", "", own);
  const credentials = () => readMembers("credential", "credential", asRecord(securitySchemes));
  return {
    role: "description",
    location: "",
    facts,
    parts: new Map([...parts, ["credential", credentials]]),
  };
}

/** An object of any kind: each member of its own is a part, down to texts and numbers. */
function readMembers(role: Role, location: string, node: object): Part {
  const members = Object.entries(node);
  const isPart = ([name, value]: [string, unknown]) =>
    typeof value === "object" && value !== null && !isWords(name);
  const parts = members.filter(isPart).map(([name, value]) => {
    const whenNew = [judgeKeyword(role, name, undefined, ""), "is new"] as const;
    const whenGone = [judgeKeyword(role, name, ""), "is gone"] as const;
    const read = () => readMembers(role, `${location} ${name}`.trim(), value);
    return [name, () => ({ ...read(), whenNew, whenGone })] as const;
  });
  const facts = members.filter((member) => !isPart(member));
  return { role, location, facts: toFacts(Object.fromEntries(facts)), parts: new Map(parts) };
}

class PartReader {
  readonly #reader: ContractReader;

  constructor(document: Node) {
    this.#reader = new ContractReader(document);
  }

  *readPath(path: string, value: unknown): Generator<[string, () => Part]> {
    const item = this.#reader.resolve(value);
    for (const method of METHODS) {
      const operation = item[method];
      if (isRecord(operation))
        yield [`${method.toUpperCase()} ${path}`, () => this.#readOperation(item, operation)];
    }
    const facts = toFacts(item, ...METHODS, "parameters");
    yield [path, () => ({ role: "description", location: "", facts, parts: new Map() })];
  }

  #readOperation(item: Node, operation: Node): Part {
    const { requestBody, security = this.#reader.document.security } = operation;
    const parameters = [...asList(item.parameters), ...asList(operation.parameters)];
    return {
      role: "description",
      location: "",
      facts: toFacts(operation, "parameters", "requestBody", "responses", "security"),
      parts: new Map([
        ["security", () => readSecurity(security)],
        ...parameters.map((each) => this.#readParameter(this.#reader.resolve(each))),
        ...(requestBody === undefined ? [] : [this.#readRequest(this.#reader.resolve(requestBody))]),
        ...this.#readResponses(asRecord(operation.responses)),
      ]),
      whenNew: ["adds", "the operation is new"],
      whenGone: ["breaks", "the operation is gone"],
    };
  }

  #readParameter({ in: place, name, ...parameter }: Node): [string, () => Part] {
    const location = `parameter ${place} ${name}`;
    const read = () =>
      this.#readField("request", location, toSchemas(parameter), parameter.required === true);
    // Most services ignore what they do not know.
    return [location, () => ({ ...read(), whenGone: ["changes", "is gone"] })];
  }

  #readRequest(body: Node): [string, () => Part] {
    const isRequired = body.required === true;
    return [
      "request",
      () => ({
        ...this.#readBody("request", "request", body),
        whenNew: isRequired ? ["breaks", "is new, and required"] : ["changes", "is new"],
        whenGone: ["breaks", "is no longer accepted"],
      }),
    ];
  }

  /** The first success of one document is that of the other, whatever their statuses. */
  *#readResponses(responses: Node): Generator<[string, () => Part]> {
    const success = Object.keys(responses)
      .filter((status) => status.startsWith("2"))
      .sort()[0];
    yield [
      "response",
      () => this.#readBody("response", "response", this.#reader.resolve(responses[success ?? ""])),
    ];
    yield ["status", () => readStatus(success ?? "not described")];
    for (const [status, response] of Object.entries(responses)) {
      if (status === success) continue;
      const location = `response ${status}`;
      const read = () => this.#readBody("response", location, this.#reader.resolve(response));
      yield [location, () => ({ ...read(), whenNew: ["adds", "is new"], whenGone: ["changes", "is gone"] })];
    }
  }

  #readBody(side: Side, location: string, body: Node): Part {
    const headers = Object.entries(asRecord(body.headers)).map(([name, value]) => {
      const header = this.#reader.resolve(value);
      const headerLocation = `${location} header ${name}`;
      return [
        headerLocation,
        () => this.#readField(side, headerLocation, toSchemas(header), header.required === true),
      ] as const;
    });
    const contents = Object.entries(asRecord(body.content)).map(([type, media]) => {
      const schemas = toSchemas(asRecord(media));
      // The fields of a body are named without its media type.
      return [
        type,
        () => this.#readField(side, `${location} ${type}`, schemas, false, `${location} `),
      ] as const;
    });
    const facts = toFacts(body, "content", "headers", "required");
    if (body.required === true) facts.set("required", ["true"]);
    return { role: findRole(side), location, facts, parts: new Map([...headers, ...contents]) };
  }

  /** @param prefix of the names of its fields */
  #readField(
    side: Side,
    location: string,
    schemas: readonly unknown[],
    isRequired: boolean,
    prefix = location,
  ): Part {
    const nodes = this.#flatten(schemas);
    const role = findRole(side, nodes.find((node) => node["x-basis"] !== undefined)?.["x-basis"]);
    const fields = readFields(nodes);
    const parts = [...fields].map(([name, field]) => {
      const inner = joinName(prefix, name);
      return [name, () => this.#readField(side, inner, field.schemas, field.isRequired)] as const;
    });
    return {
      role,
      location,
      facts: readFacts(nodes, isRequired),
      parts: new Map(parts),
      reference: nodes.some(({ $ref }) => $ref !== undefined) ? JSON.stringify(schemas) : undefined,
      whenNew: side === "request" && isRequired ? ["breaks", "is new, and required"] : ["adds", "is new"],
      whenGone: judgeLoss(role),
    };
  }

  /** The schemas, those that they refer to, and their alternatives, each once. */
  #flatten(schemas: readonly unknown[]): readonly Node[] {
    const nodes = new Set<Node>();
    const add = (value: unknown): void => {
      const node = asRecord(value);
      if (nodes.has(node)) return;
      nodes.add(node);
      if (typeof node.$ref === "string") add(this.#reader.findTarget(node.$ref));
      for (const keyword of ALTERNATIVES) asList(node[keyword]).forEach(add);
    };
    schemas.forEach(add);
    return [...nodes];
  }
}

const judgeLoss = (role: Role): Verdict => {
  if (role === "request") return ["breaks", "is no longer accepted"];
  return [role === "assumed response" ? "changes" : "breaks", "is gone"];
};

const readSecurity = (security: unknown): Part => {
  const ways = asList(security).map((way) => Object.keys(asRecord(way)).sort().join(" and ") || "nothing");
  return { role: "request", location: "security", facts: new Map([["enum", ways]]), parts: new Map() };
};

const readStatus = (success: string): Part => ({
  role: "description",
  location: "status",
  facts: new Map([["success", [success]]]),
  parts: new Map(),
});

/** The members of a parameter, a header or a media type stand beside those of its schema. */
const toSchemas = ({ schema, required: _, ...own }: Node): readonly unknown[] => [own, schema];

interface Field {
  readonly schemas: unknown[];
  isRequired: boolean;
}

/** By name; `[]` for the items of a list, `*` for fields of any name. */
function readFields(nodes: readonly Node[]): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>();
  const add = (name: string, schema: unknown, isRequired = false) => {
    const field = fields.get(name) ?? { schemas: [], isRequired: false };
    field.schemas.push(schema);
    field.isRequired ||= isRequired;
    fields.set(name, field);
  };
  for (const node of nodes) {
    const required = new Set(asList(node.required));
    for (const [name, schema] of Object.entries(asRecord(node.properties)))
      add(name, schema, required.has(name));
    for (const schema of Object.values(asRecord(node.patternProperties))) add("*", schema);
    if (node.items !== undefined) add("[]", node.items);
    if (isRecord(node.additionalProperties)) add("*", node.additionalProperties);
  }
  return fields;
}

function readFacts(nodes: readonly Node[], isRequired: boolean): ReadonlyMap<string, Texts> {
  const facts = new Map<string, Set<string>>();
  const add = (keyword: string, text: string) => {
    const texts = facts.get(keyword) ?? new Set();
    facts.set(keyword, texts.add(text));
  };
  if (isRequired) add("required", "true");
  for (const node of nodes) {
    for (const type of listTypes(node)) add("type", type);
    if (Array.isArray(node.enum)) for (const value of node.enum) add("enum", String(value));
    for (const [keyword, value] of listKeywords(node)) add(keyword, toText(value));
  }
  return new Map([...facts].map(([keyword, texts]) => [keyword, [...texts].sort()]));
}

/** The keywords that fields, types and allowed values leave. */
const READ_APART: ReadonlySet<string> = new Set(["$ref", "type", "enum", "required", "properties", "items"]);

function* listKeywords(node: Node): Generator<[string, unknown]> {
  for (const [keyword, value] of Object.entries(node)) {
    if (READ_APART.has(keyword)) continue;
    if (ALTERNATIVES.includes(keyword) && Array.isArray(value)) {
      // `anyOf: [X, null]` says the same as a type that may be null.
      const branches = value.filter((branch) => asRecord(branch).type !== "null").length;
      if (keyword !== "allOf" && branches > 1) yield [keyword, branches];
    } else if (keyword === "patternProperties") yield [keyword, Object.keys(asRecord(value)).sort()];
    else if (keyword !== "additionalProperties" || !isRecord(value)) yield [keyword, value];
  }
}

const listTypes = ({ type, enum: values }: Node): Texts =>
  type === undefined
    ? asList(values).map((value) => (value === null ? "null" : typeof value))
    : [type].flat().map(String);

const toFacts = (node: Node, ...others: Texts): Map<string, Texts> =>
  new Map(
    Object.entries(node)
      .filter(([name, value]) => value !== undefined && !others.includes(name))
      .map(([name, value]) => [name, [toText(value)]]),
  );

/** In RFC 8785 form, which is JSON for all but objects. */
const toText = (value: unknown): string =>
  typeof value === "object" ? toCanonicalJson(value) : JSON.stringify(value);

const joinName = (prefix: string, name: string): string => {
  if (name === "[]") return `${prefix.trimEnd()}[]`.replace(/^(request|response)\[/, "$1 [");
  return prefix.endsWith(" ") ? prefix + name : `${prefix}.${name}`;
};

const findRole = (side: Side, basis?: unknown): Role => {
  if (side === "request") return "request";
  return basis === "assumed" ? "assumed response" : "documented response";
};
