import type { Operation } from "../../contract/operations/operation.ts";
import { ClaimsError } from "../../domain/errors.ts";
import { parseJsonText } from "../../domain/json.ts";
import type { Service } from "../connection/service.ts";

/**
 * Whether the service executes each `Idempotency-Key` of an operation once, by its own contract (interface §9.4). Otherwise a
 * second request is a second write. Asks the service once.
 *
 * @param operation its id, or method and path of a raw request
 */
export function createKeyCheck(service: Service, operation: string, legacy = false): () => Promise<boolean> {
  let found: Promise<boolean> | undefined;
  return () => {
    found ??= fetchKeySupport(service, ...toRoute(service, operation, legacy)).catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return found;
  };
}

/** Method and path. */
function toRoute({ operations }: Service, operation: string, legacy: boolean): [string, string] {
  const rows = Object.values(operations).flatMap((family): Operation[] => Object.values(family));
  const row = rows.find(({ id }) => id === operation);
  if (row) return [row.method, (legacy ? row.legacyPath : undefined) ?? row.path];
  const [method = "", target = ""] = operation.split(" ");
  return [method, target.replace(/\?.*$/, "")];
}

async function fetchKeySupport({ client, operations }: Service, method: string, path: string) {
  try {
    const { body } = await client.send(operations.document.openapi);
    const { asRecord, ContractReader } = await import("../../contract/compare/contract-reader.ts");
    const document = asRecord(parseJsonText(body.toString("utf8")));
    return new ContractReader(document).takesIdempotencyKey(method, path);
  } catch (error) {
    // The service has no contract, or refuses it to this credential.
    const { kind, status } = error instanceof ClaimsError ? error : {};
    if (kind === "not_found" || kind === "rejected" || status === 403) return false;
    throw error;
  }
}
