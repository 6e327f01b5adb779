import { isDeepStrictEqual } from "node:util";
import { BREAKING, compareFacts, type Role } from "./compare-facts.ts";
import { ContractReader, type Node } from "./contract-reader.ts";
import { readOperations } from "./operation-schema.ts";
import { readFacts, type SchemaField } from "./schema-facts.ts";

export interface Difference {
  /** `POST /v1/…`; `*` for the whole document. */
  readonly operation: string;
  /** As in `response data[].status`; empty for the operation itself. */
  readonly location: string;
  /** `breaks`: a client of the first document may fail with the second one. */
  readonly effect: "breaks" | "changes";
  readonly message: string;
}

type Change = Omit<Difference, "operation">;

/** The differences of the second document: operation by operation in the order of the first, then the rest. */
export function compareContracts(before: Node, after: Node): Difference[] {
  if (isDeepStrictEqual(before, after)) return [];
  const readers: Readers = [new ContractReader(before), new ContractReader(after)];
  const [old, now] = [readOperations(readers[0]), readOperations(readers[1])];
  const isShared = isDeepStrictEqual(before.components, after.components);
  const changed = unionNames(old, now).filter(
    (operation) => !isShared || !isDeepStrictEqual(old.get(operation), now.get(operation)),
  );
  const found = changed.flatMap((operation) =>
    compareOperation(readers, old.get(operation), now.get(operation)).map((row) => ({ operation, ...row })),
  );
  return found.length > 0 ? found : [describeRest(before, after)];
}

/** Titles, descriptions and examples, and what else neither a request nor a response shows. */
function describeRest(before: Node, after: Node): Difference {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const location = names.filter((name) => !isDeepStrictEqual(before[name], after[name])).join(", ");
  return { operation: "*", location, effect: "changes", message: "requests and responses are the same" };
}

/** Of the first and of the second document. */
type Readers = readonly [ContractReader, ContractReader];

/** One place in both documents, if both have it. */
interface Place {
  readonly role: Role;
  readonly location: string;
  readonly before: SchemaField | undefined;
  readonly after: SchemaField | undefined;
}

/**
 * Level by level. What the same references lead to is compared once, where it is used first: schemas may contain themselves,
 * and each other.
 */
function compareOperation(readers: Readers, before: Node | undefined, after: Node | undefined): Change[] {
  if (!before) return [{ location: "", effect: "changes", message: "the operation is new" }];
  if (!after) return [{ location: "", effect: "breaks", message: "the operation is gone" }];
  const found: Change[] = [];
  const seen = new Set<string>();
  const places: Place[] = [{ role: "request", location: "", before: toField(before), after: toField(after) }];
  // The loop also visits what it adds.
  for (const place of places) {
    const { changes, inner, references } = comparePlace(readers, place);
    for (const change of changes) found.push({ location: place.location, ...change });
    if (references !== null && seen.has(references)) continue;
    if (references !== null) seen.add(references);
    for (const each of inner) places.push(each);
  }
  return found;
}

const toField = (schema: Node): SchemaField => ({ schemas: [schema], isRequired: false });

/** The differences of one place, and what is to be compared within it. */
function comparePlace([reader, otherReader]: Readers, { role, location, before, after }: Place) {
  const old = before && readFacts(reader, before);
  const now = after && readFacts(otherReader, after);
  const ownRole =
    role === "response" && old?.keywords.get("x-basis") === "assumed" ? "assumed response" : role;
  const changes = compareFacts(old, now).map(([kind, message]) => ({
    effect: BREAKING[ownRole].includes(kind) ? ("breaks" as const) : ("changes" as const),
    message,
  }));
  if (!old || !now) return { changes, inner: [], references: null };
  const inner = unionNames(old.fields, now.fields).map((name) => ({
    role: location === "" ? findRole(name) : role,
    location: joinName(location, name),
    before: old.fields.get(name),
    after: now.fields.get(name),
  }));
  const hasReferences = old.hasReferences || now.hasReferences;
  return { changes, inner, references: hasReferences ? JSON.stringify([role, before, after]) : null };
}

const findRole = (name: string): Role => {
  if (name.startsWith("parameter ")) return "parameter";
  if (name === "error") return "assumed response";
  return name === "response" ? "response" : "request";
};

/** The fields of a body are named without its media type. */
function joinName(location: string, name: string): string {
  if (location === "") return name;
  const parent = location.replace(/^(request|response|error) [^ ]+\/[^ ]+$/, "$1");
  const isBody = /^(request|response|error)$/.test(parent);
  if (name === "[]") return isBody ? `${parent} []` : `${parent}[]`;
  return isBody ? `${parent} ${name}` : `${parent}.${name}`;
}

const unionNames = (one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>) => [
  ...new Set([...one.keys(), ...other.keys()]),
];
