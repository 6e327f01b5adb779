import { isDeepStrictEqual } from "node:util";
import { ClaimsError } from "../../domain/errors.ts";
import { isRecord } from "../../domain/json.ts";
import { unescapePointer } from "../../domain/json-pointer.ts";
import { toCanonicalJson } from "../hash.ts";

export type Node = Readonly<Record<string, unknown>>;

/** The parts of a schema that a comparison tells apart, with its references and alternatives merged. */
export interface SchemaView {
  /** Sorted; empty where the schema allows any type. */
  readonly types: readonly string[];
  /** The allowed values, sorted; null for any. */
  readonly values: readonly string[] | null;
  /** Every other keyword → its values in RFC 8785 form, sorted: alternatives may have several. */
  readonly keywords: ReadonlyMap<string, readonly string[]>;
  /** By name; `[]` for the items of a list, `*` for fields of any name. */
  readonly fields: FieldViews;
  /** The label in our own documents (`x-basis`). */
  readonly basis: unknown;
  /** Its nodes and those around it, which it does not enter again. */
  readonly path: ReadonlySet<Node>;
}

export interface FieldView {
  readonly schemas: readonly unknown[];
  readonly required: boolean;
}

export type FieldViews = ReadonlyMap<string, FieldView>;

/** Nested schemas. */
const MAX_DEPTH = 12;

/** Schemas of one document, each as often as it is used. The bundled document has some thousand. */
const MAX_SCHEMAS = 50_000;

const ALTERNATIVES = ["allOf", "anyOf", "oneOf"] as const;
const STRUCTURE: ReadonlySet<string> = new Set([
  "$ref",
  "type",
  "required",
  "properties",
  "patternProperties",
]);

/** Whether a value is an OpenAPI 3 document: it has the version, and paths. */
export const isOpenApi = (value: unknown): value is Node =>
  isRecord(value) && typeof value.openapi === "string" && /^3\./.test(value.openapi) && isRecord(value.paths);

/** Reads one document. */
export class ContractReader {
  readonly document: Node;
  #schemasLeft = MAX_SCHEMAS;

  constructor(document: Node) {
    this.document = document;
  }

  /** Follows references; one that points nowhere is empty. */
  resolve(value: unknown, depth = 0): Node {
    const node = asRecord(value);
    return typeof node.$ref === "string" && depth < MAX_DEPTH
      ? this.resolve(this.#target(node.$ref), depth + 1)
      : node;
  }

  /** Whether an operation lists the header `Idempotency-Key`. @param path with values or names of its parameters */
  takesIdempotencyKey(method: string, path: string): boolean {
    const paths = asRecord(this.document.paths);
    const own = Object.hasOwn(paths, path) ? path : Object.keys(paths).find((each) => isPathOf(each, path));
    return this.listParameters(own, method).some(
      (parameter) => parameter.in === "header" && String(parameter.name).toLowerCase() === "idempotency-key",
    );
  }

  /** The parameters of an operation. @param path as the document has it */
  listParameters(path: string | undefined, method: string): readonly Node[] {
    const item = this.resolve(asRecord(this.document.paths)[path ?? ""]);
    const operation = asRecord(item[method.toLowerCase()]);
    return [...asList(item.parameters), ...asList(operation.parameters)].map((each) => this.resolve(each));
  }

  /** @throws ClaimsError `not_a_contract`: the schemas use each other without end */
  readSchema(schemas: readonly unknown[], path: ReadonlySet<Node> = new Set()): SchemaView {
    const nodes = path.size > MAX_DEPTH * ALTERNATIVES.length ? [] : this.#flatten(schemas, path);
    const keywords = new Map<string, string[]>();
    const fields = new Map<string, { schemas: unknown[]; required: boolean }>();
    const addField = (name: string, schema: unknown, required = false) => {
      const field = fields.get(name) ?? { schemas: [], required: false };
      field.schemas.push(schema);
      field.required ||= required;
      fields.set(name, field);
    };
    for (const node of nodes) {
      const required = new Set(asList(node.required));
      for (const [name, schema] of Object.entries(asRecord(node.properties)))
        addField(name, schema, required.has(name));
      for (const schema of Object.values(asRecord(node.patternProperties))) addField("*", schema);
      for (const [keyword, value] of listKeywords(node)) {
        if (keyword === "items") addField("[]", value);
        else if (keyword === "additionalProperties" && isRecord(value)) addField("*", value);
        else appendTo(keywords, keyword, toText(value));
      }
    }
    for (const texts of keywords.values()) texts.sort();
    const values = nodes.flatMap((node) => (Array.isArray(node.enum) ? [node.enum.map(String)] : []));
    return {
      types: [...new Set(nodes.flatMap(typesOf))].sort(),
      values: values.length > 0 ? [...new Set(values.flat())].sort() : null,
      keywords,
      fields,
      basis: nodes.find((node) => node["x-basis"] !== undefined)?.["x-basis"],
      path: new Set([...path, ...nodes]),
    };
  }

  /** The schemas, those that they refer to, and their alternatives. */
  #flatten(schemas: readonly unknown[], path: ReadonlySet<Node>): Node[] {
    const found = new Set<Node>();
    const add = (value: unknown): void => {
      const node = asRecord(value);
      if (found.has(node) || path.has(node)) return;
      this.#schemasLeft -= 1;
      if (this.#schemasLeft < 0) throw tooComplexError(MAX_SCHEMAS);
      found.add(node);
      if (typeof node.$ref === "string") add(this.#target(node.$ref));
      for (const keyword of ALTERNATIVES) asList(node[keyword]).forEach(add);
    };
    schemas.forEach(add);
    return [...found];
  }

  #target(reference: string): unknown {
    const steps = reference.replace(/^#\//, "").split("/").map(unescapePointer);
    return steps.reduce<unknown>((at, step) => asRecord(at)[step], this.document);
  }
}

function isPathOf(template: string, path: string): boolean {
  const parts = path.split("/");
  const expected = template.split("/");
  return (
    parts.length === expected.length &&
    expected.every((part, index) => part === parts[index] || part.startsWith("{"))
  );
}

function* listKeywords(node: Node): Generator<[string, unknown]> {
  for (const [keyword, value] of Object.entries(node)) {
    if (STRUCTURE.has(keyword) || (keyword === "enum" && Array.isArray(value))) continue;
    if (ALTERNATIVES.some((each) => each === keyword) && Array.isArray(value)) {
      // `anyOf: [X, null]` says the same as a type that may be null.
      const branches = value.filter((branch) => asRecord(branch).type !== "null").length;
      if (keyword !== "allOf" && branches > 1) yield [keyword, branches];
    } else yield [keyword, value];
  }
  for (const pattern of Object.keys(asRecord(node.patternProperties))) yield ["patternProperties", pattern];
}

function appendTo(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

const typesOf = ({ type, enum: values }: Node): string[] =>
  type === undefined
    ? asList(values).map((value) => (value === null ? "null" : typeof value))
    : [type].flat().map(String);

const toText = (value: unknown): string => toCanonicalJson(value);

const tooComplexError = (maxSchemas: number): ClaimsError =>
  new ClaimsError(
    "verification",
    "not_a_contract",
    `the schemas of the contract use each other more than ${maxSchemas} times`,
    { hint: "check that it is the contract: see it with `claims contract fetch`" },
  );

export const asRecord = (value: unknown): Node => (isRecord(value) ? value : {});
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const unionKeys = (one: Node, other: Node): string[] => [
  ...new Set([...Object.keys(one), ...Object.keys(other)]),
];

/** Documents do not change; a comparison asks for the same nodes again and again. */
const referencesByNode = new WeakMap<object, ReadonlySet<string>>();

/** The references in a value, without those in their targets. */
export function listReferences(value: unknown): ReadonlySet<string> {
  if (typeof value !== "object" || value === null) return new Set();
  const known = referencesByNode.get(value);
  if (known) return known;
  const own = (value as Node).$ref;
  const inner = Object.values(value).flatMap((each) => [...listReferences(each)]);
  const references = new Set(typeof own === "string" ? [own, ...inner] : inner);
  referencesByNode.set(value, references);
  return references;
}

/** References to components that differ, to those that refer to them, and to what is not a component. */
export function findChangedReferences(before: Node, after: Node): ReadonlySet<string> {
  const changed = new Set<string>();
  const [old, now] = [asRecord(before.components), asRecord(after.components)];
  const components = unionKeys(old, now).flatMap((kind) => {
    if (old[kind] === now[kind]) return [];
    const [one, other] = [asRecord(old[kind]), asRecord(now[kind])];
    return unionKeys(one, other).map(
      (name) => [`#/components/${kind}/${name}`, one[name], other[name]] as const,
    );
  });
  const users = new Map<string, string[]>();
  for (const [reference, one, other] of components) {
    if (!isDeepStrictEqual(one, other)) changed.add(reference);
    for (const target of listReferences(one)) appendTo(users, target, reference);
  }
  // The loop also visits what it adds.
  for (const reference of changed) for (const user of users.get(reference) ?? []) changed.add(user);
  for (const each of listReferences(before)) if (!each.startsWith("#/components/")) changed.add(each);
  return changed;
}
