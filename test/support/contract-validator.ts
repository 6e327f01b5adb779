import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { GREASE_HEADER } from "../../src/contract/grease.ts";

/** A response as its caller saw it. */
export interface ObservedResponse {
  readonly method: string;
  /** Of the request, without its query. */
  readonly path: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Null if it is too long to validate. */
  readonly body: string | null;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly responses: Record<
    string,
    { headers: Record<string, unknown>; content?: Record<string, { schema: { $ref?: string } }> }
  >;
}

/** Headers of HTTP itself, which the document omits. */
const TRANSPORT_HEADERS = new Set([
  "content-type",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "date",
]);

interface Document {
  readonly paths: object;
  readonly components: object;
}

/** The path of a request's target, as Koa reads it: a fragment, which no target should have, does not belong to it. */
export const readTargetPath = (target: string): string => target.replace(/[?#].*$/s, "");

/** Validates responses against an OpenAPI document. */
export function createContractValidator({ paths, components }: Document) {
  const routes = Object.entries(paths).map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
    methods: methods as Record<string, DescribedOperation>,
  }));
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "contract", ...(closeObjects({ components }) as object) });

  const validators = new Map<string, ValidateFunction>();
  const getValidator = (schema: { $ref?: string }): ValidateFunction => {
    const key = JSON.stringify(schema);
    const known = validators.get(key);
    if (known) return known;
    const validator = ajv.compile(resolveReferences(closeObjects(schema)) as Record<string, unknown>);
    validators.set(key, validator);
    return validator;
  };

  const findRoute = (path: string) => routes.find(({ pattern }) => pattern.test(path))?.methods;
  const findOperation = (method: string, path: string): DescribedOperation | undefined =>
    findRoute(path)?.[method === "HEAD" ? "get" : method.toLowerCase()];

  const findMismatch = (
    { method, status, body }: ObservedResponse,
    schema: { $ref?: string },
    expectedStatus: number,
  ): string | null => {
    if (status !== expectedStatus && status < 400) return `expected ${expectedStatus}`;
    if (method === "HEAD" || body === null) return null;
    const validate = getValidator(schema);
    return validate(JSON.parse(body)) ? null : ajv.errorsText(validate.errors);
  };

  return {
    /** The operation that a request reaches. */
    operationIdOf: (method: string, path: string): string | undefined =>
      findOperation(method, path)?.operationId,

    /** What the document does not allow; null for a valid response. */
    findViolation(response: ObservedResponse): string | null {
      const { method, path, status, headers, body } = response;
      const isVaried = headers.has(GREASE_HEADER.toLowerCase());
      const isKnownPath = findRoute(path) !== undefined;
      const operation = findOperation(method, path);
      if (!operation && isVaried) return null;
      const problem = { $ref: "#/components/schemas/Problem" };
      if (isKnownPath && method === "OPTIONS")
        return status === 204 ? null : findMismatch(response, problem, 204);
      if (!operation) return findMismatch(response, problem, isKnownPath ? 405 : 404);
      const documented = operation.responses[status];
      // With grease, the response differs from the document.
      if (isVaried) return null;
      if (!documented) return "an undocumented status";
      const documentedHeaders = new Set(Object.keys(documented.headers).map((name) => name.toLowerCase()));
      const undocumented = [...headers.keys()].filter(
        (name) => !TRANSPORT_HEADERS.has(name) && !documentedHeaders.has(name),
      );
      if (undocumented.length > 0) return `undocumented headers: ${undocumented.join(", ")}`;
      if (!documented.content) return body === "" ? null : "an undocumented body";
      const type = (headers.get("content-type") ?? "none").replace(/;.*$/, "");
      const content = documented.content[type];
      if (!content) return `an undocumented content type: ${type}`;
      return type.endsWith("json") && type !== "application/x-ndjson"
        ? findMismatch(response, content.schema, status)
        : null;
    },
  };
}

// The document leaves objects open, because clients may not rely on the absence of fields. Our own responses must not
// have an undocumented field.
function closeObjects(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeObjects);
  if (typeof schema !== "object" || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closeObjects(value)]));
  return "properties" in copy && !("additionalProperties" in copy)
    ? { ...copy, additionalProperties: false }
    : copy;
}

/** Makes the references of the document absolute, so that a schema can be compiled outside it. */
const resolveReferences = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema), (name, value) => (name === "$ref" ? `contract${value}` : value));
