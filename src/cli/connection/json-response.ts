import { describeBody, parseJsonBody } from "../../client/http/describe-body.ts";
import type { ApiResponse } from "../../client/http/response.ts";
import type { OperationInput } from "../../client/request.ts";
import type { Operation } from "../../contract/operation.ts";
import { ENVIRONMENTS, type Environment } from "../../domain/environments.ts";
import { type ClaimsError, credentialError, rejectedError, unreachableError } from "../../domain/errors.ts";
import { isRecord, isTooDeep, quoteValue } from "../../domain/json.ts";
import type { Service } from "./service.ts";

/** Undefined for a body that is not JSON. The form of the service, if known, gives the names of the contract. */
export function tryParseJson(
  response: Pick<ApiResponse, "body" | "headers" | "form"> & { readonly json?: unknown },
): unknown {
  if ("json" in response) return response.json;
  const { form } = response;
  const document = parseJsonBody(response);
  return form ? form.readDocument(document, response.headers) : document;
}

export function parseJsonResponse(response: ApiResponse, what: string): unknown {
  const value = tryParseJson(response);
  if (value === undefined)
    throw unexpectedResponseError(`${what}: expected JSON (got ${describeBody(response).text})`);
  if (isTooDeep(value))
    throw unexpectedResponseError(`${what}: the JSON is nested too deep (${response.body.length} bytes)`);
  return value;
}

/** @throws ClaimsError `response_incomplete` for any other JSON, such as null */
export function parseRecord(response: ApiResponse, what: string): Readonly<Record<string, unknown>> {
  const value = parseJsonResponse(response, what);
  if (isRecord(value)) return value;
  throw rejectedError("response_incomplete", `${what}: expected an object (got ${quoteValue(value)})`, {
    hint: "the service has no such record; `claims api GET` shows the response",
  });
}

export const unexpectedResponseError = (message: string): ClaimsError =>
  unreachableError("unexpected_response", message, {
    hint: "check that the base URL is the service itself; `claims api GET` shows the response",
  });

/** A job, a scan, an organization and the revenue dashboard are of one environment (product.md §4, *Environment*). */
const OPERATIONS_OF_ONE_ENVIRONMENT = /^(diligence|scans|orgs|revenue)\./;

export function findOtherEnvironment(operation: string, record: unknown, expected: string) {
  const { environment } = isRecord(record) && OPERATIONS_OF_ONE_ENVIRONMENT.test(operation) ? record : {};
  return ENVIRONMENTS.find(
    (each: Environment) => String(environment).toLowerCase() === each && each !== expected,
  );
}

export const ENVIRONMENT_HINT =
  "check the credential, --environment, and the profile (`claims profiles show`)";

/** @param what as messages name it @throws ClaimsError `wrong_environment` */
export async function fetchRecord(
  { client, connection: { environment } }: Service,
  operation: Operation,
  input: OperationInput,
  what: string,
) {
  const { body, ...response } = await client.send(operation, input);
  const record = parseRecord({ ...response, body }, what);
  const other = findOtherEnvironment(operation.id, record, environment);
  if (other === undefined) return { body, record };
  const message = `${what} is in ${other}, but this command is for ${environment}`;
  throw credentialError("wrong_environment", message, { hint: ENVIRONMENT_HINT });
}
