import { Buffer } from "node:buffer";
import type { ServerResponse } from "node:http";
import { MAPPING_HEADER } from "../../sandbox/http/app.ts";
import { getContract } from "../../src/contract/openapi.ts";
import { createContractValidator, readTargetPath } from "./contract-validator.ts";
import { findControlViolation } from "./control-validator.ts";

/** Descriptions of responses that violate the document; the test setup empties the list after every test. */
export const violations: string[] = [];

/** Operation ids that had a success response in this process. */
export const reachedOperations = new Set<string>();

/** Longer bodies are not validated, so that no test holds a million rows twice. */
const MAX_VALIDATED_BYTES = 16 * 1024 * 1024;

const validator = createContractValidator(getContract().document);

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
    const { req, statusCode: status } = this.#response;
    const { method = "" } = req;
    const path = readTargetPath(req.url ?? "");
    if (path.startsWith("/_sandbox")) {
      this.#checkControl(method, path);
      return;
    }
    if (!this.#response.hasHeader("x-request-id")) return;
    // The text for a browser is not part of the service.
    if (path === "/" && String(this.#response.getHeader("content-type")).startsWith("text/plain")) return;
    // The form is that of another service, which has a document of its own.
    if (this.#response.hasHeader(MAPPING_HEADER)) return;
    // An injected response is not part of the contract.
    if (this.#response.hasHeader("x-sandbox-fault")) return;
    const operationId = validator.operationIdOf(method, path);
    if (status < 300 && operationId !== undefined) reachedOperations.add(operationId);
    const headers = new Map(
      this.#response.getHeaderNames().map((name) => [name, String(this.#response.getHeader(name))]),
    );
    const body = this.#size > MAX_VALIDATED_BYTES ? null : Buffer.concat(this.#chunks).toString("utf8");
    const violation = validator.findViolation({ method, path, status, headers, body });
    if (violation) violations.push(`${method} ${path} → ${status}: ${violation}`);
  }

  #checkControl(method: string, path: string): void {
    const type = String(this.#response.getHeader("content-type"));
    const isWhole = this.#size <= MAX_VALIDATED_BYTES && this.#response.writableFinished;
    if (this.#response.statusCode !== 200 || !type.startsWith("application/json") || !isWhole) return;
    const violation = findControlViolation(method, path, Buffer.concat(this.#chunks).toString("utf8"));
    if (violation) violations.push(`${method} ${path}: ${violation}`);
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
