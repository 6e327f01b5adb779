import { ClaimsError } from "../../../../domain/errors.ts";
import { valueAt } from "../../../../domain/json.ts";
import { parseJsonResponse } from "../../../connection/json-response.ts";
import type { Service } from "../../../connection/service.ts";

/**
 * Whether the service's own contract (interface §9.4) says that a submission takes an Idempotency-Key. The interface
 * does not, so without that promise a second request is a second submission.
 */
export async function supportsIdempotencyKey(
  { client, operations }: Service,
  legacy = false,
): Promise<boolean> {
  const { method, path, legacyPath } = operations.diligence.submit;
  let document: unknown;
  try {
    document = parseJsonResponse(await client.send(operations.document.openapi), "the contract");
  } catch (error) {
    if (error instanceof ClaimsError && isContractUnavailable(error)) return false;
    throw error;
  }
  const paths = Object(valueAt(document, "paths")) as Record<string, unknown>;
  const item = paths[legacy ? legacyPath : path];
  const parameters = [valueAt(item, "parameters"), valueAt(item, `${method.toLowerCase()}.parameters`)];
  return parameters
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .some((one) => {
      const { in: place, name } = Object(resolveReference(document, one)) as { in?: unknown; name?: unknown };
      return place === "header" && typeof name === "string" && name.toLowerCase() === "idempotency-key";
    });
}

/** A service without a contract, or with one that this credential may not read or that is a web page, promises nothing. */
const isContractUnavailable = ({ kind, code, status }: ClaimsError): boolean =>
  kind === "not_found" || kind === "rejected" || status === 403 || code === "unexpected_response";

/** What a parameter stands for: itself, or one of the document's components. */
function resolveReference(document: unknown, parameter: unknown): unknown {
  const reference = valueAt(parameter, "$ref");
  if (typeof reference !== "string" || !reference.startsWith("#/")) return parameter;
  return valueAt(document, reference.slice(2).replaceAll("/", "."));
}
