import type { OperationInput } from "../../client/request.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import { ENVIRONMENTS, type Environment } from "../../domain/environments.ts";
import { credentialError } from "../../domain/errors.ts";
import { isRecord } from "../../domain/json.ts";
import { parseRecord } from "./json-response.ts";
import type { Service } from "./service.ts";

/** A job, a scan, an organization and the revenue dashboard are of one environment (product.md §4, *Environment*). */
const OPERATIONS_OF_ONE_ENVIRONMENT = /^(diligence|scans|orgs|revenue)\./;

/** The environment that a record names, if it is not the expected one. */
export function findOtherEnvironment(operation: string, record: unknown, expected: string) {
  const { environment } = isRecord(record) && OPERATIONS_OF_ONE_ENVIRONMENT.test(operation) ? record : {};
  return ENVIRONMENTS.find(
    (each: Environment) => String(environment).toLowerCase() === each && each !== expected,
  );
}

const ENVIRONMENT_HINT = "check the credential, --environment, and the profile (`claims profiles show`)";

/**
 * Reads one record.
 *
 * @param what as messages name it
 * @throws ClaimsError `wrong_environment` for a record of the other environment
 */
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
