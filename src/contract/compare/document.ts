import { ClaimsError } from "../../domain/errors.ts";
import { isRecord } from "../../domain/json.ts";

/** One operation of an OpenAPI document, as far as a comparison looks. */
export interface DescribedOperation {
  /** `POST /v1/…` */
  readonly name: string;
  /** Query and header parameters, by `in name`. */
  readonly parameters: ReadonlyMap<string, Field>;
  /** Media type → the fields of the body; empty where the operation takes none. */
  readonly request: ReadonlyMap<string, ReadonlyMap<string, Field>>;
  /** Of the success answers: media type → the fields of the body. */
  readonly answer: ReadonlyMap<string, ReadonlyMap<string, Field>>;
  /** Names of the success statuses. */
  readonly statuses: readonly string[];
}

/** A field by its path, as in `data[].status`. */
export interface Field {
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
const DEEPEST = 12;

/** How many schemas are looked at in one document, each as often as it is used: ours has some thousand. */
const MOST_SCHEMAS = 200_000;

type Node = Readonly<Record<string, unknown>>;

/** Whether a value is an OpenAPI 3 document: it says so, and has paths. */
export const isOpenApi = (value: unknown): value is Node =>
  isRecord(value) && typeof value.openapi === "string" && /^3\./.test(value.openapi) && isRecord(value.paths);

/** A document that is read, and how many schemas may still be looked at. */
interface Reading {
  readonly document: Node;
  left: number;
}

/**
 * Every operation of a document, by its name.
 *
 * @throws ClaimsError `contract_too_intricate`: its schemas use each other without end
 */
export function operationsIn(document: Node): Map<string, DescribedOperation> {
  const reading: Reading = { document, left: MOST_SCHEMAS };
  const found = new Map<string, DescribedOperation>();
  for (const [path, item] of Object.entries(record(document.paths))) {
    const shared = record(resolved(document, item));
    for (const method of METHODS) {
      if (!isRecord(shared[method])) continue;
      const name = `${method.toUpperCase()} ${path}`;
      found.set(name, describe(reading, name, record(shared[method]), list(shared.parameters)));
    }
  }
  return found;
}

function describe(
  reading: Reading,
  name: string,
  operation: Node,
  shared: readonly unknown[],
): DescribedOperation {
  const { document } = reading;
  const parameters = [...shared, ...list(operation.parameters)]
    .map((parameter) => record(resolved(document, parameter)))
    .filter((parameter) => parameter.in === "query" || parameter.in === "header")
    .map((parameter): [string, Field] => [
      `${parameter.in} ${parameter.name}`,
      fieldOf(
        { ...record(resolved(document, parameter.schema)), ...basisIn(parameter) },
        parameter.required === true,
      ),
    ]);
  const answers = Object.entries(record(operation.responses)).filter(([status]) => /^2/.test(status));
  return {
    name,
    parameters: new Map(parameters),
    request: contentOf(reading, resolved(document, operation.requestBody)),
    answer: new Map(answers.flatMap(([, answer]) => [...contentOf(reading, resolved(document, answer))])),
    statuses: answers.map(([status]) => status).sort(),
  };
}

function contentOf(reading: Reading, carrier: unknown): Map<string, Map<string, Field>> {
  return new Map(
    Object.entries(record(record(carrier).content)).map(([type, media]) => {
      const fields = new Map<string, Field>();
      collect(reading, record(media).schema, "", fields, []);
      return [type, fields];
    }),
  );
}

/**
 * Writes down every field below a schema, each by its path.
 *
 * @param within the schemas around it: one that contains itself is not entered again
 */
function collect(
  reading: Reading,
  schema: unknown,
  path: string,
  fields: Map<string, Field>,
  within: readonly Node[],
): void {
  const { document } = reading;
  const node = record(resolved(document, schema));
  if (within.length > DEEPEST || within.includes(node)) return;
  reading.left -= 1;
  if (reading.left < 0) throw tooIntricate();
  const inside = [...within, node];
  for (const part of [...list(node.allOf), ...list(node.anyOf), ...list(node.oneOf)])
    collect(reading, part, path, fields, inside);
  if (node.items !== undefined) collect(reading, node.items, `${path}[]`, fields, inside);
  const required = new Set(list(node.required));
  for (const [name, property] of Object.entries(record(node.properties))) {
    const place = path === "" ? name : `${path}.${name}`;
    const inner = record(resolved(document, property));
    fields.set(place, fieldOf({ ...inner, ...basisIn(record(property)) }, required.has(name)));
    collect(reading, inner, place, fields, inside);
  }
}

const tooIntricate = (): ClaimsError =>
  new ClaimsError(
    "verification",
    "contract_too_intricate",
    `the schemas of the contract use each other more than ${MOST_SCHEMAS} times`,
    { hint: "check that it is the contract: see it with `claims contract fetch`" },
  );

function fieldOf(schema: Node, required: boolean): Field {
  const alternatives = [schema, ...list(schema.anyOf), ...list(schema.oneOf)].map(record);
  const types = alternatives.flatMap(({ type, enum: values }) =>
    type === undefined
      ? list(values).map((value) => (value === null ? "null" : typeof value))
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

const basisIn = ({ "x-basis": basis }: Node): Node => (basis === undefined ? {} : { "x-basis": basis });

/** What a reference of the document points to; what points nowhere is nothing. */
function resolved(document: Node, value: unknown): unknown {
  let found = value;
  for (let hops = 0; isRecord(found) && typeof found.$ref === "string" && hops < DEEPEST; hops += 1) {
    const steps = found.$ref.replace(/^#\//, "").split("/");
    found = steps.reduce<unknown>((node, step) => record(node)[unescaped(step)], document);
  }
  return found;
}

/** RFC 6901 §4. */
const unescaped = (step: string): string => step.replaceAll("~1", "/").replaceAll("~0", "~");

const record = (value: unknown): Node => (isRecord(value) ? value : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
