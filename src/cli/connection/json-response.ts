import { openEnvelope } from "../../client/envelope.ts";
import { classifyBody, parseJsonBody } from "../../client/http/classify-body.ts";
import type { ApiResponse } from "../../client/http/response.ts";
import { deniesSuccess, findStatedFailure } from "../../client/stated-failure.ts";
import { type ClaimsError, rejectedError, unreachableError } from "../../domain/errors.ts";
import { isRecord, isTooDeep, quoteValue } from "../../domain/json.ts";

/** Undefined for a body that is not JSON. The mapping of the service, if there is one, gives the names of the contract. */
export function tryParseJson({ reader, ...response }: ApiResponse): unknown {
  const document = parseJsonBody(response);
  return reader ? reader.read(document) : document;
}

export function parseJsonResponse(response: ApiResponse, what: string): unknown {
  const value = tryParseJson(response);
  if (value === undefined)
    throw unexpectedResponseError(`${what}: expected JSON (got ${classifyBody(response).text})`);
  if (isTooDeep(value))
    throw unexpectedResponseError(`${what}: the JSON is nested too deep (${response.body.length} bytes)`);
  return value;
}

/** A mapping says where the fields are; without one, they may be in an envelope. */
export const toRecord = ({ reader }: ApiResponse, document: Record<string, unknown>) =>
  reader?.hasMapping ? document : openEnvelope(document);

/**
 * The fields of a record, by the mapping of the service, or out of its envelope.
 *
 * @throws ClaimsError `response_incomplete` for any other JSON, such as null
 */
export function parseRecord(response: ApiResponse, what: string): Readonly<Record<string, unknown>> {
  const value = parseJsonResponse(response, what);
  if (isRecord(value) && deniesSuccess(value)) throw statedFailure(what, findStatedFailure(value));
  if (isRecord(value)) return toRecord(response, value);
  throw rejectedError("response_incomplete", `${what}: expected an object (got ${quoteValue(value)})`, {
    hint: "the service has no such record; `claims api GET` shows the response",
  });
}

/**
 * Some services send every error with 200, also beside an empty list. A record may have an error of its own, and is not checked
 * by this.
 *
 * @throws ClaimsError `stated_failure` if the document says so
 */
export function requireNoFailure(document: unknown, what: string): void {
  const reason = findStatedFailure(document);
  if (reason !== null) throw statedFailure(what, reason);
}

export const statedFailure = (what: string, reason: unknown): ClaimsError =>
  rejectedError("stated_failure", `${what}: the service says that it failed (${quoteValue(reason)})`, {
    hint: "its status says success; `claims api GET` shows the response",
  });

export const unexpectedResponseError = (message: string): ClaimsError =>
  unreachableError("unexpected_response", message, {
    hint: "check that the base URL is the service itself; `claims api GET` shows the response",
  });
