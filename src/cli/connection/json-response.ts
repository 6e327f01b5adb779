import type { ApiResponse } from "../../client/http/response.ts";
import { type ClaimsError, rejectedError, unreachableError } from "../../domain/errors.ts";
import { isRecord, isTooDeep, parseJsonText, quoteValue } from "../../domain/json.ts";

/**
 * Undefined for a body that is not JSON. A document of an observed service gets the names of the contract. The client has
 * already parsed a page.
 */
export function tryParseJson(
  response: Pick<ApiResponse, "body" | "form"> & { readonly json?: unknown },
): unknown {
  if ("json" in response) return response.json;
  const { body, form } = response;
  const document = parseJsonText(body.toString("utf8"));
  return form ? form.readDocument(document) : document;
}

export function parseJsonResponse(response: ApiResponse, what: string): unknown {
  const value = tryParseJson(response);
  const { body, headers } = response;
  if (value === undefined) {
    const type = headers["content-type"] ?? "no content type";
    throw unexpectedResponseError(`${what}: expected JSON (got ${type}, ${body.length} bytes)`);
  }
  if (isTooDeep(value))
    throw unexpectedResponseError(`${what}: the JSON is nested too deep (${body.length} bytes)`);
  return value;
}

/**
 * The object of a response that is one record.
 *
 * @throws ClaimsError `no_record` for any other JSON, such as null
 */
export function parseRecord(response: ApiResponse, what: string): Readonly<Record<string, unknown>> {
  const value = parseJsonResponse(response, what);
  if (isRecord(value)) return value;
  throw rejectedError("no_record", `${what}: expected an object (got ${quoteValue(value)})`, {
    hint: "the service has no such record; `claims api GET` shows the response",
  });
}

export const unexpectedResponseError = (message: string): ClaimsError =>
  unreachableError("unexpected_response", message, {
    hint: "check that the base URL is the service itself; `claims api GET` shows the response",
  });
