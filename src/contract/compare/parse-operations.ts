import { ClaimsError } from "../../domain/errors.ts";
import { isRecord } from "../../domain/json.ts";

/** The fields of a body, or the parameters of an operation, by location: `data[].status`, `query limit`. */
export type ContractFields = ReadonlyMap<string, ContractField>;

/** One operation of an OpenAPI document, as far as a comparison reads it. */
export interface DescribedOperation {
  /** Query and header parameters. */
  readonly parameters: ContractFields;
  /** By media type; empty where the operation takes no body. */
  readonly request: ReadonlyMap<string, ContractFields>;
  /** Of the success responses, by media type. */
  readonly response: ReadonlyMap<string, ContractFields>;
  /** The success statuses. */
  readonly statuses: readonly string[];
}

export interface ContractField {
  /** Sorted; empty where the schema has no type. */
  readonly types: readonly string[];
  readonly required: boolean;
  /** The allowed values; null for any. */
  readonly values: readonly string[] | null;
  /** The label in our own documents (`x-basis`). */
  readonly basis: unknown;
}

const METHODS = ["get", "put", "post", "delete", "patch", "head", "options"];

/** Nested schemas. */
const MAX_DEPTH = 12;

/** Schemas of one document, each as often as it is used. The bundled document has some thousand. */
const MAX_SCHEMAS = 200_000;

type Node = Readonly<Record<string, unknown>>;

/** Whether a value is an OpenAPI 3 document: it has the version, and paths. */
export const isOpenApi = (value: unknown): value is Node =>
  isRecord(value) && typeof value.openapi === "string" && /^3\./.test(value.openapi) && isRecord(value.paths);

/**
 * Every operation of a document, by its name: `POST /v1/…`.
 *
 * @throws ClaimsError `contract_too_complex`: its schemas use each other without end
 */
export const parseOperations = (document: Node): Map<string, DescribedOperation> =>
  new DocumentReader(document).readOperations();

class DocumentReader {
  readonly #document: Node;
  readonly #references = new Map<string, Node>();
  #schemasLeft = MAX_SCHEMAS;

  constructor(document: Node) {
    this.#document = document;
  }

  readOperations(): Map<string, DescribedOperation> {
    const operations = new Map<string, DescribedOperation>();
    for (const [path, item] of Object.entries(asRecord(this.#document.paths))) {
      const methods = this.#resolve(item);
      for (const method of METHODS) {
        const operation = methods[method];
        if (!isRecord(operation)) continue;
        const parameters = [...asList(methods.parameters), ...asList(operation.parameters)];
        operations.set(`${method.toUpperCase()} ${path}`, this.#readOperation(operation, parameters));
      }
    }
    return operations;
  }

  #readOperation(operation: Node, parameters: readonly unknown[]): DescribedOperation {
    const responses = Object.entries(asRecord(operation.responses)).filter(([status]) => /^2/.test(status));
    return {
      parameters: new Map(
        parameters
          .map((parameter) => this.#resolve(parameter))
          .filter(({ in: place }) => place === "query" || place === "header")
          .map((parameter) => [
            `${parameter.in} ${parameter.name}`,
            toContractField(this.#resolve(parameter.schema), parameter.required === true, parameter),
          ]),
      ),
      request: new Map(this.#readContent(operation.requestBody)),
      response: new Map(responses.flatMap(([, response]) => this.#readContent(response))),
      statuses: responses.map(([status]) => status).sort(),
    };
  }

  #readContent(body: unknown): [string, ContractFields][] {
    return Object.entries(asRecord(this.#resolve(body).content)).map(([type, media]) => {
      const fields = new Map<string, ContractField>();
      this.#collectFields(asRecord(media).schema, "", fields, []);
      return [type, fields];
    });
  }

  /** @param ancestors the schemas around it; one that contains itself is not entered again */
  #collectFields(
    schema: unknown,
    path: string,
    fields: Map<string, ContractField>,
    ancestors: readonly Node[],
  ): void {
    const node = this.#resolve(schema);
    if (ancestors.length > MAX_DEPTH || ancestors.includes(node)) return;
    this.#schemasLeft -= 1;
    if (this.#schemasLeft < 0) throw tooComplex();
    const inside = [...ancestors, node];
    for (const part of [node.allOf, node.anyOf, node.oneOf].flatMap(asList))
      this.#collectFields(part, path, fields, inside);
    if (node.items !== undefined) this.#collectFields(node.items, `${path}[]`, fields, inside);
    const required = new Set(asList(node.required));
    for (const [name, property] of Object.entries(asRecord(node.properties))) {
      const location = path === "" ? name : `${path}.${name}`;
      const inner = this.#resolve(property);
      fields.set(location, toContractField(inner, required.has(name), asRecord(property)));
      this.#collectFields(inner, location, fields, inside);
    }
  }

  /** Follows references; one that points nowhere is empty. */
  #resolve(value: unknown, depth = 0): Node {
    const node = asRecord(value);
    const { $ref: reference } = node;
    if (typeof reference !== "string" || depth >= MAX_DEPTH) return node;
    const known = this.#references.get(reference);
    if (known) return known;
    const steps = reference.replace(/^#\//, "").split("/");
    const target = steps.reduce<unknown>((at, step) => asRecord(at)[unescapePointer(step)], this.#document);
    const found = this.#resolve(target, depth + 1);
    this.#references.set(reference, found);
    return found;
  }
}

const tooComplex = (): ClaimsError =>
  new ClaimsError(
    "verification",
    "contract_too_complex",
    `the schemas of the contract use each other more than ${MAX_SCHEMAS} times`,
    { hint: "check that it is the contract: see it with `claims contract fetch`" },
  );

/** @param labelled the parameter or the reference, whose label precedes the schema's own */
function toContractField(schema: Node, required: boolean, labelled: Node): ContractField {
  const alternatives = [schema, ...asList(schema.anyOf), ...asList(schema.oneOf)].map(asRecord);
  const types = alternatives.flatMap(({ type, enum: values }) =>
    type === undefined
      ? asList(values).map((value) => (value === null ? "null" : typeof value))
      : [type].flat(),
  );
  return {
    types: [...new Set(types.map(String))].sort(),
    required,
    values: Array.isArray(schema.enum) ? schema.enum.map(String).sort() : null,
    basis: labelled["x-basis"] ?? schema["x-basis"],
  };
}

/** RFC 6901 §4. */
const unescapePointer = (step: string): string => step.replaceAll("~1", "/").replaceAll("~0", "~");

const asRecord = (value: unknown): Node => (isRecord(value) ? value : {});
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
