import { ClaimsError } from "../../domain/errors.ts";
import { isRecord } from "../../domain/json.ts";

/** One operation of an OpenAPI document, as far as a comparison looks. */
export interface DescribedOperation {
  /** `POST /v1/…` */
  readonly name: string;
  /** Query and header parameters, by `in name`. */
  readonly parameters: ReadonlyMap<string, ContractField>;
  /** Media type → the fields of the body; empty where the operation takes none. */
  readonly request: ReadonlyMap<string, ReadonlyMap<string, ContractField>>;
  /** Of the success answers: media type → the fields of the body. */
  readonly response: ReadonlyMap<string, ReadonlyMap<string, ContractField>>;
  /** Names of the success statuses. */
  readonly statuses: readonly string[];
}

/** A field by its path, as in `data[].status`. */
export interface ContractField {
  /** Type or types, sorted; empty where the schema does not say. */
  readonly types: readonly string[];
  readonly required: boolean;
  /** Values that are allowed; null for any. */
  readonly values: readonly string[] | null;
  /** What our own documents say of it (`x-basis`). */
  readonly basis: "documented" | "assumed" | null;
}

const METHODS = ["get", "put", "post", "delete", "patch", "head", "options"];

/** How deep schemas are followed. */
const MAX_DEPTH = 12;

/** How many schemas are looked at in one document, each as often as it is used: ours has some thousand. */
const MAX_SCHEMAS = 200_000;

type Node = Readonly<Record<string, unknown>>;

/** Whether a value is an OpenAPI 3 document: it says so, and has paths. */
export const isOpenApi = (value: unknown): value is Node =>
  isRecord(value) && typeof value.openapi === "string" && /^3\./.test(value.openapi) && isRecord(value.paths);

/** A document that is read, and how many schemas may still be looked at. */
interface SchemaWalk {
  readonly document: Node;
  schemasLeft: number;
}

/**
 * Every operation of a document, by its name.
 *
 * @throws ClaimsError `contract_too_intricate`: its schemas use each other without end
 */
export function parseOperations(document: Node): Map<string, DescribedOperation> {
  const reading: SchemaWalk = { document, schemasLeft: MAX_SCHEMAS };
  const found = new Map<string, DescribedOperation>();
  for (const [path, item] of Object.entries(asRecord(document.paths))) {
    const shared = asRecord(resolveReference(document, item));
    for (const method of METHODS) {
      if (!isRecord(shared[method])) continue;
      const name = `${method.toUpperCase()} ${path}`;
      found.set(name, describeOperation(reading, name, asRecord(shared[method]), asList(shared.parameters)));
    }
  }
  return found;
}

function describeOperation(
  reading: SchemaWalk,
  name: string,
  operation: Node,
  shared: readonly unknown[],
): DescribedOperation {
  const { document } = reading;
  const parameters = [...shared, ...asList(operation.parameters)]
    .map((parameter) => asRecord(resolveReference(document, parameter)))
    .filter((parameter) => parameter.in === "query" || parameter.in === "header")
    .map((parameter): [string, ContractField] => [
      `${parameter.in} ${parameter.name}`,
      toContractField(
        { ...asRecord(resolveReference(document, parameter.schema)), ...pickBasis(parameter) },
        parameter.required === true,
      ),
    ]);
  const answers = Object.entries(asRecord(operation.responses)).filter(([status]) => /^2/.test(status));
  return {
    name,
    parameters: new Map(parameters),
    request: parseContent(reading, resolveReference(document, operation.requestBody)),
    response: new Map(
      answers.flatMap(([, answer]) => [...parseContent(reading, resolveReference(document, answer))]),
    ),
    statuses: answers.map(([status]) => status).sort(),
  };
}

function parseContent(reading: SchemaWalk, carrier: unknown): Map<string, Map<string, ContractField>> {
  return new Map(
    Object.entries(asRecord(asRecord(carrier).content)).map(([type, media]) => {
      const fields = new Map<string, ContractField>();
      collectFields(reading, asRecord(media).schema, "", fields, []);
      return [type, fields];
    }),
  );
}

/**
 * Writes down every field below a schema, each by its path.
 *
 * @param ancestors the schemas around it: one that contains itself is not entered again
 */
function collectFields(
  reading: SchemaWalk,
  schema: unknown,
  path: string,
  fields: Map<string, ContractField>,
  ancestors: readonly Node[],
): void {
  const { document } = reading;
  const node = asRecord(resolveReference(document, schema));
  if (ancestors.length > MAX_DEPTH || ancestors.includes(node)) return;
  reading.schemasLeft -= 1;
  if (reading.schemasLeft < 0) throw tooComplex();
  const inside = [...ancestors, node];
  for (const part of [...asList(node.allOf), ...asList(node.anyOf), ...asList(node.oneOf)])
    collectFields(reading, part, path, fields, inside);
  if (node.items !== undefined) collectFields(reading, node.items, `${path}[]`, fields, inside);
  const required = new Set(asList(node.required));
  for (const [name, property] of Object.entries(asRecord(node.properties))) {
    const place = path === "" ? name : `${path}.${name}`;
    const inner = asRecord(resolveReference(document, property));
    fields.set(place, toContractField({ ...inner, ...pickBasis(asRecord(property)) }, required.has(name)));
    collectFields(reading, inner, place, fields, inside);
  }
}

const tooComplex = (): ClaimsError =>
  new ClaimsError(
    "verification",
    "contract_too_intricate",
    `the schemas of the contract use each other more than ${MAX_SCHEMAS} times`,
    { hint: "check that it is the contract: see it with `claims contract fetch`" },
  );

function toContractField(schema: Node, required: boolean): ContractField {
  const alternatives = [schema, ...asList(schema.anyOf), ...asList(schema.oneOf)].map(asRecord);
  const types = alternatives.flatMap(({ type, enum: values }) =>
    type === undefined
      ? asList(values).map((value) => (value === null ? "null" : typeof value))
      : [type].flat(),
  );
  const { "x-basis": basis } = schema;
  return {
    types: [...new Set(types.map(String))].sort(),
    required,
    values: Array.isArray(schema.enum) ? schema.enum.map(String).sort() : null,
    basis: basis === "documented" || basis === "assumed" ? basis : null,
  };
}

const pickBasis = ({ "x-basis": basis }: Node): Node => (basis === undefined ? {} : { "x-basis": basis });

/** What a reference of the document points to; what points nowhere is nothing. */
function resolveReference(document: Node, value: unknown): unknown {
  let found = value;
  for (let hops = 0; isRecord(found) && typeof found.$ref === "string" && hops < MAX_DEPTH; hops += 1) {
    const steps = found.$ref.replace(/^#\//, "").split("/");
    found = steps.reduce<unknown>((node, step) => asRecord(node)[unescapePointer(step)], document);
  }
  return found;
}

/** RFC 6901 §4. */
const unescapePointer = (step: string): string => step.replaceAll("~1", "/").replaceAll("~0", "~");

const asRecord = (value: unknown): Node => (isRecord(value) ? value : {});
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
