import { isRecord } from "../../domain/json.ts";
import { unescapePointer } from "../../domain/json-pointer.ts";

export type Node = Readonly<Record<string, unknown>>;

/** References that refer to references. */
const MAX_REFERENCES = 12;

/** Whether a value is an OpenAPI 3 document: it has the version, and paths. */
export const isOpenApi = (value: unknown): value is Node =>
  isRecord(value) && typeof value.openapi === "string" && /^3\./.test(value.openapi) && isRecord(value.paths);

/** Reads one document. */
export class ContractReader {
  readonly document: Node;

  constructor(document: Node) {
    this.document = document;
  }

  /** Follows references; one that points nowhere is empty. */
  resolve(value: unknown, left = MAX_REFERENCES): Node {
    const node = asRecord(value);
    return typeof node.$ref === "string" && left > 0
      ? this.resolve(this.findTarget(node.$ref), left - 1)
      : node;
  }

  findTarget(reference: string): unknown {
    const steps = reference.replace(/^#\//, "").split("/").map(unescapePointer);
    return steps.reduce<unknown>((at, step) => asRecord(at)[step], this.document);
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
}

function isPathOf(template: string, path: string): boolean {
  const parts = path.split("/");
  const expected = template.split("/");
  return (
    parts.length === expected.length &&
    expected.every((part, index) => part === parts[index] || part.startsWith("{"))
  );
}

export const asRecord = (value: unknown): Node => (isRecord(value) ? value : {});
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
