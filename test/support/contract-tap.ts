import { Buffer } from "node:buffer";
import type { ServerResponse } from "node:http";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { GREASE_HEADER } from "../../src/contract/grease.ts";
import { getContract } from "../../src/contract/openapi.ts";
import { EXCHANGE_HEADER, replayThroughPrism } from "./prism-replay.ts";

/** Descriptions of responses that violate the document; the test setup empties the list after every test. */
export const violations: string[] = [];

/** Operation ids that had a success response in this process. */
export const reachedOperations = new Set<string>();

interface DescribedOperation {
  operationId: string;
  responses: Record<
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

/** Longer bodies are not validated, so that no test holds a million rows twice. */
const MAX_VALIDATED_BYTES = 16 * 1024 * 1024;

const { document } = getContract();
const routes = Object.entries(document.paths).map(([path, methods]) => ({
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
  methods: methods as Record<string, DescribedOperation>,
}));

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

const ajv = new Ajv2020({ allErrors: true, strict: false });
addFormats.default(ajv);
ajv.addSchema({ $id: "contract", ...(closeObjects({ components: document.components }) as object) });

/** Makes the references of the document absolute, so that a schema can be compiled outside it. */
const resolveReferences = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema), (name, value) => (name === "$ref" ? `contract${value}` : value));

const validators = new Map<string, ValidateFunction>();
function getValidator(schema: { $ref?: string }): ValidateFunction {
  const key = JSON.stringify(schema);
  const known = validators.get(key);
  if (known) return known;
  const validator = ajv.compile(resolveReferences(closeObjects(schema)) as Record<string, unknown>);
  validators.set(key, validator);
  return validator;
}

class Exchange {
  readonly #response: ServerResponse;
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  addChunk(chunk: unknown): void {
    if (typeof chunk !== "string" && !(chunk instanceof Uint8Array)) return;
    const bytes = Buffer.from(chunk as string);
    this.#size += bytes.length;
    if (this.#size <= MAX_VALIDATED_BYTES) this.#chunks.push(bytes);
  }

  check(): void {
    const { req } = this.#response;
    const path = (req.url ?? "").replace(/\?.*$/, "");
    if (!this.#response.hasHeader("x-request-id") || path.startsWith("/_sandbox")) return;
    // The page for a browser is not part of the service.
    if (path === "/" && String(this.#response.getHeader("content-type")).startsWith("text/html")) return;
    if (req.headers[EXCHANGE_HEADER] !== undefined) return;
    // An injected response is not part of the contract.
    if (this.#response.hasHeader("x-sandbox-fault")) return;
    const violation = this.#findViolation(req.method ?? "", path);
    if (violation) violations.push(`${req.method} ${path} → ${this.#response.statusCode}: ${violation}`);
    if (process.env.CLAIMS_TEST_PRISM === undefined || this.#response.hasHeader(GREASE_HEADER)) return;
    replayThroughPrism(this.#response, Buffer.concat(this.#chunks));
  }

  #findViolation(method: string, path: string): string | null {
    const methods = routes.find(({ pattern }) => pattern.test(path))?.methods;
    const operation = methods?.[method === "HEAD" ? "get" : method.toLowerCase()];
    const { statusCode } = this.#response;
    if (!operation && this.#response.hasHeader(GREASE_HEADER)) return null;
    if (methods && method === "OPTIONS") return statusCode === 204 ? null : "expected 204";
    if (!operation) return this.#mismatch({ $ref: "#/components/schemas/Problem" }, methods ? 405 : 404);
    if (statusCode < 300) reachedOperations.add(operation.operationId);
    const documented = operation.responses[statusCode];
    // With grease, the response differs from the document.
    if (this.#response.hasHeader(GREASE_HEADER)) return null;
    if (!documented) return "an undocumented status";
    const documentedHeaders = new Set(Object.keys(documented.headers).map((name) => name.toLowerCase()));
    const undocumented = this.#response
      .getHeaderNames()
      .filter((name) => !TRANSPORT_HEADERS.has(name) && !documentedHeaders.has(name));
    if (undocumented.length > 0) return `undocumented headers: ${undocumented.join(", ")}`;
    if (!documented.content) return this.#size === 0 ? null : "an undocumented body";
    const type = String(this.#response.getHeader("content-type")).replace(/;.*$/, "");
    const content = documented.content[type];
    if (!content) return `an undocumented content type: ${type}`;
    return type.endsWith("json") && type !== "application/x-ndjson"
      ? this.#mismatch(content.schema, statusCode)
      : null;
  }

  #mismatch(schema: { $ref?: string }, expectedStatus: number): string | null {
    if (this.#response.statusCode !== expectedStatus && this.#response.statusCode < 400) {
      return `expected ${expectedStatus}`;
    }
    if (this.#response.req.method === "HEAD" || this.#size > MAX_VALIDATED_BYTES) return null;
    const validate = getValidator(schema);
    const valid = validate(JSON.parse(Buffer.concat(this.#chunks).toString("utf8")));
    return valid ? null : ajv.errorsText(validate.errors);
  }
}

const exchanges = new WeakMap<ServerResponse, Exchange>();

export function getExchange(response: ServerResponse): Exchange {
  const known = exchanges.get(response);
  if (known) return known;
  const exchange = new Exchange(response);
  exchanges.set(response, exchange);
  return exchange;
}
