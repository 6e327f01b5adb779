import { Buffer } from "node:buffer";
import type { ServerResponse } from "node:http";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { GREASE_HEADER } from "../../src/contract/grease.ts";
import { getContract } from "../../src/contract/openapi.ts";

/** Responses that violate the document, as sentences; the test setup empties the list after every test. */
export const violations: string[] = [];

/** Operation ids that had a success response in this process. */
export const reachedOperations = new Set<string>();

interface Described {
  operationId: string;
  responses: Record<
    string,
    { headers: Record<string, unknown>; content?: Record<string, { schema: { $ref?: string } }> }
  >;
}

/** Headers of HTTP itself, which OpenAPI leaves out. */
const TRANSPORT = new Set([
  "content-type",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "date",
]);

/** For longer bodies, only the headers are checked: a test must not hold a million rows twice. */
const BODY_LIMIT = 16 * 1024 * 1024;

const { document } = getContract();
const routes = Object.entries(document.paths).map(([path, methods]) => ({
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
  methods: methods as Record<string, Described>,
}));

// A client may not rely on the absence of fields, so the document leaves objects open; an answer of ours must not
// carry a field that has no label.
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return "properties" in copy && !("additionalProperties" in copy)
    ? { ...copy, additionalProperties: false }
    : copy;
}

const ajv = new Ajv2020({ allErrors: true, strict: false });
addFormats.default(ajv);
ajv.addSchema({ $id: "contract", ...(closed({ components: document.components }) as object) });

/** A reference of the document, followed from outside it. */
const ofContract = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema), (name, value) => (name === "$ref" ? `contract${value}` : value));

const validators = new Map<string, ValidateFunction>();
function validatorOf(schema: { $ref?: string }): ValidateFunction {
  const key = JSON.stringify(schema);
  const known = validators.get(key);
  if (known) return known;
  const made = ajv.compile(ofContract(closed(schema)) as Record<string, unknown>);
  validators.set(key, made);
  return made;
}

class Exchange {
  readonly #response: ServerResponse;
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  take(chunk: unknown): void {
    if (typeof chunk !== "string" && !(chunk instanceof Uint8Array)) return;
    const bytes = Buffer.from(chunk as string);
    this.#size += bytes.length;
    if (this.#size <= BODY_LIMIT) this.#chunks.push(bytes);
  }

  judge(): void {
    const { req } = this.#response;
    const path = (req.url ?? "").replace(/\?.*$/, "");
    if (!this.#response.hasHeader("x-request-id") || path.startsWith("/_sandbox")) return;
    // An injected response is not part of the contract.
    if (this.#response.hasHeader("x-sandbox-fault")) return;
    const complaint = this.#complaint(req.method ?? "", path);
    if (complaint) violations.push(`${req.method} ${path} → ${this.#response.statusCode}: ${complaint}`);
  }

  #complaint(method: string, path: string): string | null {
    const methods = routes.find(({ pattern }) => pattern.test(path))?.methods;
    const operation = methods?.[method === "HEAD" ? "get" : method.toLowerCase()];
    const { statusCode } = this.#response;
    if (!operation && this.#response.hasHeader(GREASE_HEADER)) return null;
    if (methods && method === "OPTIONS") return statusCode === 204 ? null : "expected 204";
    if (!operation) return this.#mismatch({ $ref: "#/components/schemas/Problem" }, methods ? 405 : 404);
    if (statusCode < 300) reachedOperations.add(operation.operationId);
    const described = operation.responses[statusCode];
    // This header says that the response differs from the document.
    if (this.#response.hasHeader(GREASE_HEADER)) return null;
    if (!described) return "a status that the document does not name";
    const known = new Set(Object.keys(described.headers).map((name) => name.toLowerCase()));
    const strange = this.#response
      .getHeaderNames()
      .filter((name) => !TRANSPORT.has(name) && !known.has(name));
    if (strange.length > 0) return `headers that the document does not name: ${strange.join(", ")}`;
    if (!described.content) return this.#size === 0 ? null : "a body that the document does not name";
    const type = String(this.#response.getHeader("content-type")).replace(/;.*$/, "");
    const content = described.content[type];
    if (!content) return `a content type that the document does not name: ${type}`;
    return type.endsWith("json") && type !== "application/x-ndjson"
      ? this.#mismatch(content.schema, statusCode)
      : null;
  }

  #mismatch(schema: { $ref?: string }, expectedStatus: number): string | null {
    if (this.#response.statusCode !== expectedStatus && this.#response.statusCode < 400) {
      return `expected ${expectedStatus}`;
    }
    if (this.#response.req.method === "HEAD" || this.#size > BODY_LIMIT) return null;
    const validate = validatorOf(schema);
    const valid = validate(JSON.parse(Buffer.concat(this.#chunks).toString("utf8")));
    return valid ? null : ajv.errorsText(validate.errors);
  }
}

const exchanges = new WeakMap<ServerResponse, Exchange>();

export function exchangeOf(response: ServerResponse): Exchange {
  const known = exchanges.get(response);
  if (known) return known;
  const made = new Exchange(response);
  exchanges.set(response, made);
  return made;
}
